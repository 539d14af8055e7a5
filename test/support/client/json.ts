// The one untyped answer. Callers that know the shape name it instead (`call<Shape>()` of DevnetControl, Subject
// and signedFetch). `unknown` would require a cast before some 700 comparisons, and a cast is as unchecked as
// this. A narrower type could not offer fields whose names only the test knows.

// biome-ignore lint/suspicious/noExplicitAny: fields are compared one by one; a wrong one fails its test.
export type Json = any;
