// The part of `undici` that keeps connections to one address, which the library declares under another name.

declare module "undici/lib/dispatcher/pool.js" {
  import { Pool } from "undici";

  export default Pool;
}
