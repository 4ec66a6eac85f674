import { join } from 'node:path'
import { AccountStore } from '../accounts/accounts.ts'
import { KeyStore } from '../accounts/keys.ts'
import { newId } from '../core/ids.ts'
import { checkFolderOwner } from '../db/folder-owner.ts'
import { openDatabase } from '../db/open-database.ts'
import { createDataFolder } from '../db/private-file.ts'

/** Runs `work` on the data folder's database, made when it is not there yet; the server may be running beside. */
export function withKeys<Result>(
  dataDir: string,
  work: (stores: { readonly keys: KeyStore; readonly accounts: AccountStore }) => Result,
): Result {
  createDataFolder(dataDir)
  checkFolderOwner(dataDir)
  const database = openDatabase(join(dataDir, 'inferd.db'))
  try {
    const options = { database, newId, clock: Date.now }
    return work({ keys: new KeyStore(options), accounts: new AccountStore(options) })
  } finally {
    database.close()
  }
}
