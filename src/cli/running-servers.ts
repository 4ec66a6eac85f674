import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { shellWord } from '../core/own-commands.ts'
import { controlSocketPath } from '../server/control.ts'
import { askServer } from './control-client.ts'
import { CommandError, tryLaterExitCode } from './io.ts'

/**
 * Returns the data folders of the servers that this user can command, found by the sockets that the kernel lists; root
 * sees those of all users. Servers in other containers are not listed. Empty if the system does not tell.
 */
export async function runningFolders(): Promise<string[]> {
  const folders = [...new Set(listeningSockets().map((path) => dirname(path)))]
  const answers = await Promise.all(
    folders.map(async (folder) => ({ folder, status: await askServer(folder).catch(() => undefined) })),
  )
  return answers.flatMap(({ folder, status }) => (status === undefined ? [] : [folder])).sort()
}

function listeningSockets(): string[] {
  const uid = process.getuid?.()
  return socketPaths().filter((path) => {
    try {
      return path === controlSocketPath(dirname(path)) && (uid === 0 || statSync(path).uid === uid)
    } catch {
      return false // in a folder that is closed to this user, or gone
    }
  })
}

/** Returns the paths of listening sockets, which follow seven columns. Client sockets have no path. */
function socketPaths(): string[] {
  try {
    const lines = readFileSync('/proc/net/unix', 'utf8').split('\n')
    return lines.flatMap((line) => /^(?:\S+ +){6}\d+ (\/.*)$/.exec(line)?.[1] ?? [])
  } catch {
    return []
  }
}

/** Returns where servers run and how a command names one, to follow "…; ". Undefined if none runs. */
export function whereServersRun(folders: readonly string[]): string | undefined {
  if (folders.length === 0) return undefined
  const [only = ''] = folders
  if (folders.length === 1) return `a server runs on ${only}: add --data ${shellWord(only)}`
  return `servers run on ${folders.join(', ')}: name one by --data`
}

/** Returns the error of a command that needs a running server: exit code 3, and where others run. */
export async function noServer(dataDir: string): Promise<CommandError> {
  const elsewhere = whereServersRun(await runningFolders())
  const text = `no server runs on ${dataDir}; ${elsewhere ?? "'inferd serve' starts one"}`
  return new CommandError(text, { exitCode: tryLaterExitCode })
}
