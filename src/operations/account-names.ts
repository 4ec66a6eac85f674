import type { OperationContext } from './operation.ts'

interface AccountIds {
  readonly accountId?: string | undefined
  readonly actor?: string | undefined
  readonly redeemedBy?: string | undefined
}

/**
 * Returns the rows with the names of their accounts, for operators alone: the mail address, or the name of an account
 * without one. `actorName`: name of the acting account, undefined if none acted.
 */
export function withNames<Row extends AccountIds>(
  { stores }: Pick<OperationContext<'operator'>, 'stores' | 'caller'>,
  rows: readonly Row[],
) {
  const names = new Map<string, string | undefined>()
  const nameOf = (id: string | undefined) => {
    if (id === undefined) return undefined
    if (!names.has(id)) {
      const account = stores.accounts.find(id)
      names.set(id, account?.email ?? account?.name)
    }
    return names.get(id)
  }
  return rows.map((row) => ({
    ...row,
    accountName: nameOf(row.accountId ?? row.redeemedBy),
    actorName: nameOf(/^(?:operator|treasurer|account):(.+)$/.exec(row.actor ?? '')?.[1]),
  }))
}
