/** Writes a line to stderr, which is the log. */
export function log(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Ends this process. The server starts another one. */
export function endProcess(reason: string): never {
  log(reason)
  process.exit(1)
}
