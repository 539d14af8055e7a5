// A certificate authority for one run, and a key with a certificate for each host, made by the script that operators
// use. The certificates serve both ends of a connection: a host shows the same one as server and as client.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "../tidy/tree.ts";

const run = promisify(execFile);

const script = join(projectRoot, "deploy/tls/issue.sh");

/** A host's files: the authority's certificate, and its own certificate and key. */
export interface HostCertificate {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** An authority whose files are in a folder; the first certificate creates it. */
export class CertificateAuthority {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes a certificate for a host in `folder`; `names` are its DNS names and IP addresses. */
  async issue(folder: string, names: readonly string[]): Promise<HostCertificate> {
    await run("sh", [script, this.#folder, folder, ...names]);
    const [caFile = "", certFile = "", keyFile = ""] = ["ca.pem", "host.pem", "host.key"].map(
      (name) => join(folder, name),
    );
    return { caFile, certFile, keyFile };
  }
}
