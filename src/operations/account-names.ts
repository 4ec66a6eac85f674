import type { OperationContext } from './operation.ts'

interface AccountIds {
  readonly accountId?: string | undefined
  readonly actor?: string | undefined
  readonly redeemedBy?: string | undefined
}

/**
 * Rows with what people call the accounts in them: the mail address, or the name of an account that has none. `actorName` is that of
 * the account which did something; undefined if no account did.
 */
export function withNames<Row extends AccountIds>({ stores }: Pick<OperationContext, 'stores'>, rows: readonly Row[]) {
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
    actorName: nameOf(/^(?:operator|account):(.+)$/.exec(row.actor ?? '')?.[1]),
  }))
}
