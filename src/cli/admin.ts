import { hostname } from 'node:os'
import { Command } from 'commander'
import { errorText } from '../core/error-text.ts'
import { isLoopback, sshForward } from '../core/listen-address.ts'
import { askServer } from './control-client.ts'
import { CommandError, type Io, jsonLine, wantsJson } from './io.ts'
import { configOf, newCommand, optionText } from './options.ts'
import { operationTarget, perform } from './perform.ts'
import { noServer } from './running-servers.ts'

export function adminCommand(io: Io): Command {
  return new Command('admin').description('let the operator into the pages at /admin').addCommand(linkCommand(io))
}

function linkCommand(io: Io): Command {
  const command = newCommand('link', 'print a link by which an operator chooses a password and signs in, once')
    .option(
      '--url <base>',
      'where the pages are reached, such as https://box.example (default: as the server knows it)',
    )
    .option('--account <account>', "whose link it is: mail address or id of an operator (default: the operator's own)")
  return command.action(async () => {
    const [url, account] = [optionText(command, 'url'), optionText(command, 'account')]
    const { data: dataDir } = configOf(command, io)
    // Without a server the port is unknown.
    if (url === undefined && (await askServer(dataDir)) === undefined) throw await noServer(dataDir)
    const made = await perform(operationTarget(command, io), 'admin-link', { url, account })
    const forward = forwardLine(made.link)
    const note = `Good once, for 30 minutes; earlier links end.${forward === undefined ? '' : `\n${forward}`}\n`
    await printLink(command, io, made, note)
  })
}

/** Prints a link that is shown once, with a note for people. If that fails, the next link replaces it. */
async function printLink(command: Command, io: Io, made: { readonly link: string }, note: string): Promise<void> {
  const isJson = wantsJson(command)
  await io.deliver(isJson ? jsonLine(made) : `${made.link}\n`).catch((error: unknown) => {
    throw new CommandError(
      `the link could not be printed (${errorText(error)}); repeat the command with another output for another link`,
    )
  })
  if (!isJson) io.error(note)
}

/** Prints a link of one account like `printLink`, and says that it does not work until a server runs. */
export async function printLinkOf(
  command: Command,
  io: Io,
  made: { readonly link: string; readonly address: string },
  lifetime: string,
): Promise<void> {
  await printLink(command, io, made, `For ${made.address} alone: it works once, for ${lifetime}.\n`)
  const { data: dataDir } = configOf(command, io)
  if (!wantsJson(command) && (await askServer(dataDir)) === undefined)
    io.error(`No server runs on ${dataDir}: the link works once one does. 'inferd serve' starts one.\n`)
}

/** Returns how to open a link to this machine's loopback address from another machine; undefined for other links. */
export function forwardLine(link: string): string | undefined {
  const { hostname: host, port } = new URL(link)
  return isLoopback(host)
    ? `From another machine first: ${sshForward(hostname(), { host, port: Number(port) || 80 })}`
    : undefined
}
