declare const brand: unique symbol

/**
 * Whoever sees and reuses what a request leaves in memory: an account, or one holder of a team's keys. Never who pays.
 * Only `ownerOf` makes one, so that an account's id cannot take its place.
 */
export type Owner = string & { readonly [brand]: true }

/** Returns the owner of what requests with a key leave behind. */
export function ownerOf({
  accountId,
  holderId,
}: {
  readonly accountId: string
  readonly holderId?: string | undefined
}) {
  return (holderId === undefined ? accountId : `${accountId}/${holderId}`) as Owner
}
