import { closeSync, existsSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { CommandError, type Io, printAnswer, requireFolderToWrite } from '../io.ts'
import { newCommand } from '../options.ts'

export function keygenCommand(io: Io): Command {
  const command = newCommand('keygen', 'make a key that signs bundles, in the form of minisign')
    .argument('<file>', 'where the secret key is kept; the public one lies beside it, in <file>.pub')
    .option('--no-password', 'keep the secret key unencrypted: whoever reads the file can sign')
  return command.action(async (file: string) => {
    const publicFile = `${file}.pub`
    requireFolderToWrite(dirname(resolve(file)))
    for (const path of [file, publicFile]) {
      if (existsSync(path))
        throw new CommandError(`${path} is there already; a key is never overwritten: choose another file`)
    }
    const password = command.getOptionValue('password') === false ? undefined : await newPassword(io)
    const { generateSecretKey, secretKeyFile } = await import('../../store/minisign/secret-key.ts')
    const { publicKeyFile, publicKeyText } = await import('../../store/minisign/public-key.ts')
    const key = generateSecretKey()
    writeNew(file, await secretKeyFile(key, password), 0o600)
    writeNew(publicFile, publicKeyFile(key.publicKey), 0o644)
    const publicKey = publicKeyText(key.publicKey)
    printAnswer(command, io, { publicKey, secretKeyFile: file, publicKeyFile: publicFile }, () =>
      [
        `Public key   ${publicKey}`,
        `Secret key   ${file} (keep a copy in a safe place: without it no bundle continues this one)`,
        'Boxes that have this in their settings file take bundles of the key:',
        `    bundle_keys = ["${publicKey}"]`,
        '',
      ].join('\n'),
    )
  })
}

async function newPassword(io: Io): Promise<string> {
  const password = await io.ask('Password of the secret key: ', { isHidden: true })
  if (password === undefined) {
    throw new CommandError(
      'a password is asked for at a terminal, and there is none; --no-password makes a key without',
    )
  }
  if (password === '') throw new CommandError('an empty password protects nothing; --no-password makes a key without')
  const again = await io.ask('Again: ', { isHidden: true })
  if (again !== password) throw new CommandError('the two passwords differ; nothing was made')
  return password
}

/** Creates a file. Fails if it exists, and never follows a link there. */
function writeNew(path: string, text: string, mode: number): void {
  const descriptor = openSync(path, 'wx', mode)
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
