// The one place where an answer has no type. Whoever knows what is asked for names the shape instead
// (`call<Shape>()` of DevnetHands, Subject and signedFetch).

// biome-ignore lint/suspicious/noExplicitAny: fields are compared one by one; a wrong one fails its test.
export type Json = any;
