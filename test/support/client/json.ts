// The type of an untyped JSON answer. Callers that know the shape of the answer give a type instead (`call<Shape>()` of
// DevnetControl, Subject and signedFetch). `unknown` would need a cast before some 700 comparisons, and a cast is as
// unchecked as this type. A narrower type could not offer fields whose names only the test knows.

// biome-ignore lint/suspicious/noExplicitAny: fields are compared one by one; a wrong one fails its test.
export type Json = any;
