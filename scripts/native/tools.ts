/** Programs that the build runs. Each is also the name of its package. */
const needed = ['g++', 'git']

/** Throws if needed programs are not installed, and names all of them and how to get them. */
export function requirePrograms(): void {
  const missing = needed.filter((program) => Bun.which(program) === null)
  if (missing.length === 0) return
  const verb = missing.length === 1 ? 'is' : 'are'
  throw new Error(`${missing.join(' and ')} ${verb} missing: apt-get install -y ${missing.join(' ')}`)
}

/** Runs a program and returns its output. Throws with its error output if it fails. */
export async function run(command: readonly string[], cwd: string): Promise<string> {
  const child = Bun.spawn([...command], { cwd, stdout: 'pipe', stderr: 'pipe' })
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code !== 0) throw new Error(`${command.at(0)} failed:\n${errors.trim()}`)
  return output
}
