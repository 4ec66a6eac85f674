import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPrivateFile } from '../db/private-file.ts'
import { type OperationTarget, perform } from './perform.ts'

const fileName = 'terminal.key'

/** Returns the API key of `inferd run` and the like, which the operator's account pays for. Makes it at the first use. */
export async function ownKey(target: OperationTarget): Promise<string> {
  return readKey(target) ?? (await renewOwnKey(target))
}

/** Makes a new key, such as after a restore or a revocation, and keeps it in the data folder. */
export async function renewOwnKey(target: OperationTarget): Promise<string> {
  const { id, key } = await perform(target, 'keys-create', { name: 'terminal of this machine' })
  try {
    const path = keyPath(target)
    createPrivateFile(path)
    writeFileSync(path, `${key}\n`)
    return key
  } catch (error) {
    await perform(target, 'keys-revoke', { key: id })
    throw error
  }
}

function readKey(target: OperationTarget): string | undefined {
  try {
    return readFileSync(keyPath(target), 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}

function keyPath({ dataDir }: OperationTarget): string {
  return join(dataDir, fileName)
}
