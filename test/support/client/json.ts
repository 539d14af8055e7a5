// The one place where an answer has no type. Whoever knows what is asked for names the shape instead
// (`call<Shape>()` of DevnetControl, Subject and signedFetch).
//
// `unknown` here would put a cast before some 700 comparisons, and a cast is believed as blindly as this is;
// no narrower type lets a field be read whose name only the test knows.

// biome-ignore lint/suspicious/noExplicitAny: fields are compared one by one; a wrong one fails its test.
export type Json = any;
