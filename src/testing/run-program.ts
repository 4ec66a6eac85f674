/** Runs a program to its end with only the given environment. Returns its exit code and its outputs. */
export async function runProgram(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  /** Text of the standard input. Undefined for none. */
  input?: string,
) {
  const child = Bun.spawn([...command], {
    env: environment,
    stdin: input === undefined ? 'ignore' : new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  return outputsOf(child)
}

/** Returns the exit code and the outputs of a child process once it has ended. */
export async function outputsOf(child: Bun.ReadableSubprocess) {
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { out, error, code }
}
