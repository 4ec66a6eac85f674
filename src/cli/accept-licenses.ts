import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { CommandError, type Io } from './io.ts'
import { collect, listOption } from './options.ts'
import { operationTarget, perform } from './perform.ts'

/** Licence that binds the operator who serves the model. */
export interface AskedLicense {
  readonly modelId: string
  readonly license: string
  /** Accepted text: `sha256:…` of the shown text, or the address where it can be read. */
  readonly text: string
}

/** Adds the flag that `requireAcceptance` reads. */
export function addAcceptLicenseFlag(command: Command): Command {
  return command.option(
    '--accept-license <id>',
    'accept a licence without being asked; can be given several times',
    collect,
  )
}

/**
 * Requires acceptance of each licence not accepted before: by --accept-license or in answer to a question. Records who
 * accepted it. Throws CommandError otherwise.
 */
export async function requireAcceptance(command: Command, io: Io, asked: readonly AskedLicense[]): Promise<void> {
  if (asked.length === 0) return
  const target = operationTarget(command, io)
  // Without a database nothing has been accepted yet.
  const isKept = existsSync(join(target.dataDir, 'inferd.db'))
  const accepted = isKept ? await perform(target, 'licenses-list', {}) : []
  const named = new Set(listOption(command, 'acceptLicense').map((id) => id.toLowerCase()))
  for (const { modelId, license, text } of asked) {
    if (accepted.some((row) => row.license === license && row.text === text)) continue
    if (!named.has(license.toLowerCase())) {
      const answer = await io.ask(`Do you accept ${license} (${text}) for ${modelId}? [y/N] `)
      if (answer === undefined)
        throw new CommandError(`${modelId} asks to accept its licence: --accept-license ${license}`)
      if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError(`${license} was not accepted; nothing was changed`)
      named.add(license.toLowerCase())
    }
    await perform(target, 'licenses-accept', { license, text, modelId })
  }
}
