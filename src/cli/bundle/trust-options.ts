import { statSync } from 'node:fs'
import type { Command } from 'commander'
import type { Config } from '../../config/config.ts'
import { BundleError } from '../../store/bundle/manifest.ts'
import { bundleAt } from '../../store/bundle/medium.ts'
import { readTrusted, type Trust, type TrustedBundle, UnknownKeyError } from '../../store/bundle/trust.ts'
import { parsePublicKey } from '../../store/minisign/public-key.ts'
import { MinisignError } from '../../store/minisign/text.ts'
import { CommandError, UsageError } from '../io.ts'
import { optionText } from '../options.ts'

export interface OpenedBundle extends TrustedBundle {
  /** Folders of the bundle, one for each disk that the operator named. */
  readonly roots: readonly string[]
}

/** Flags that name a key to trust, with commander's names of their values. */
const keyOptions = { 'public-key': 'publicKey', 'trust-key': 'trustKey' } as const
type KeyFlag = keyof typeof keyOptions

/** Opens the bundle in these folders once its manifest is trusted. Throws CommandError. */
export async function openBundle(
  command: Command,
  folders: readonly string[],
  { config, keyFlag }: { readonly config: Config; readonly keyFlag: KeyFlag },
): Promise<OpenedBundle> {
  const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  const wrong = folders.find((folder) => !isFolder(folder))
  if (wrong !== undefined) throw new CommandError(`there is no folder ${wrong}; name the folder of a bundle`)
  const roots = folders.map(bundleAt)
  const [first = '', ...others] = roots
  const named = optionText(command, keyOptions[keyFlag])
  const trust = trustOf({ keys: [...config.bundleKeys, ...(named === undefined ? [] : [named])], keyFlag }, command)
  const opened = await openOne(first, trust, keyFlag)
  for (const [index, root] of others.entries()) {
    const other = await openOne(root, trust, keyFlag)
    if (other.manifestSha256 === opened.manifestSha256) continue
    throw new CommandError(`${folders[index + 1]} holds another bundle than ${folders[0]}; name the disks of one`)
  }
  return { ...opened, roots }
}

function trustOf(
  { keys, keyFlag }: { readonly keys: readonly string[]; readonly keyFlag: KeyFlag },
  command: Command,
): Trust {
  const manifestSha256 = optionText(command, 'unsigned')
  if (manifestSha256 !== undefined) {
    if (/^[0-9a-f]{64}$/.test(manifestSha256)) return { kind: 'unsigned', manifestSha256 }
    throw new UsageError('--unsigned must be the SHA-256 of manifest.json, 64 lower-case hexadecimal digits')
  }
  try {
    for (const key of keys) parsePublicKey(key)
  } catch (error) {
    throw error instanceof MinisignError ? new UsageError(`--${keyFlag} ${error.message}`) : error
  }
  return { kind: 'keys', keys }
}

async function openOne(root: string, trust: Trust, keyFlag: KeyFlag): Promise<TrustedBundle> {
  try {
    return await readTrusted(root, trust)
  } catch (error) {
    if (error instanceof UnknownKeyError && error.claimedKey !== undefined) {
      const { message, claimedKey } = error
      throw new CommandError(
        `${message}; the key is ${claimedKey}: if that is what the maker of the bundle says, repeat with --${keyFlag} ${claimedKey}`,
      )
    }
    throw error instanceof BundleError ? new CommandError(`${root}: ${error.message}`) : error
  }
}
