import { X509Certificate } from 'node:crypto'
import { Command } from 'commander'
import { dayMs } from '../core/durations.ts'
import { readIfThere } from '../core/private-file.ts'
import { checkFolderIsOpen } from '../db/folder-owner.ts'
import type { ServerStatus } from '../server/control.ts'
import { rootPath, tlsFolder } from '../tls/tls-folder.ts'
import { trustSteps } from '../tls/trust-root.ts'
import { askServer } from './control-client.ts'
import { CommandError, type Io, printAnswer, wantsJson } from './io.ts'
import { configOf, newCommand } from './options.ts'
import { noServer } from './running-servers.ts'

export function tlsCommand(io: Io): Command {
  return new Command('tls')
    .description('show the certificate of this server, and how clients trust it')
    .addCommand(statusCommand(io))
    .addCommand(rootCommand(io))
}

function statusCommand(io: Io): Command {
  const command = newCommand('status', 'show the certificate in use')
  return command.action(async () => {
    const { data: dataDir } = configOf(command, io)
    checkFolderIsOpen(dataDir)
    const server = await askServer(dataDir)
    if (server === undefined) throw await noServer(dataDir)
    printAnswer(command, io, server.tls ?? { mode: 'off' }, () => io.hint(statusText(server)))
  })
}

function statusText({ url, localUrl, tls }: ServerStatus): string {
  if (tls === undefined) return `TLS is off: ${url} is not encrypted. The setting tls turns it on.\n`
  const days = Math.floor((tls.validToMs - Date.now()) / dayMs)
  return [
    `Address      ${url}`,
    ...(localUrl === url ? [] : [`On this box  ${localUrl}, without TLS`]),
    `Certificate  tls = ${tls.mode}, for ${tls.names.join(', ')}`,
    `Issuer       ${tls.issuer}`,
    `Good until   ${new Date(tls.validToMs).toISOString().slice(0, 16)}Z (${days} days)`,
    `SHA-256      ${tls.fingerprint}`,
    ...(tls.problem === undefined ? [] : [`Problem      ${tls.problem}`]),
    '',
  ].join('\n')
}

function rootCommand(io: Io): Command {
  const command = newCommand('root', 'print the root certificate of tls = own-ca, and how each system trusts it')
  return command.action(async () => {
    const { data: dataDir } = configOf(command, io)
    checkFolderIsOpen(dataDir)
    const path = rootPath(tlsFolder(dataDir))
    const certificate = readIfThere(path)
    if (certificate === undefined)
      throw new CommandError(`there is no ${path} yet; 'inferd serve --tls own-ca' makes it at its start`)
    const { fingerprint256: fingerprint } = new X509Certificate(certificate)
    printAnswer(command, io, { path, fingerprint, certificate }, () => certificate)
    // The certificate alone goes to the output, so that it can be redirected to a file.
    if (!wantsJson(command)) io.error(trustText(fingerprint))
  })
}

function trustText(fingerprint: string): string {
  const width = Math.max(...trustSteps.map(({ system }) => system.length))
  return [
    `SHA-256 ${fingerprint}`,
    '',
    'Save the output as inferd-ca.pem, or fetch it from /ca.pem of this server and compare the SHA-256. Then:',
    ...trustSteps.map(({ system, step }) => `  ${system.padEnd(width)}  ${step}`),
    '',
  ].join('\n')
}
