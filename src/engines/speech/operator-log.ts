/** The child's error output is the log. */
export function log(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** The server starts another process. */
export function endProcess(reason: string): never {
  log(reason)
  process.exit(1)
}
