interface AccountLinkProps {
  readonly id: string
  /** Display name. Null shows the id. */
  readonly name: string | null
  /** Tab of the account's page. Undefined opens the first. */
  readonly tab?: string
}

/** Links to the page of an account. */
export function AccountLink({ id, name, tab }: AccountLinkProps) {
  return (
    <a
      class="who"
      href={`/admin/accounts/${encodeURIComponent(id)}${tab === undefined ? '' : `?tab=${tab}`}`}
      title={id}
    >
      {name ?? id}
    </a>
  )
}

/** Shows the actor of a change: an account by name, others such as `cli:root` as recorded. */
export function Actor({ actor, actorName }: { readonly actor: string; readonly actorName: string | null }) {
  if (actorName === null) return <code title={actor}>{actor}</code>
  return <AccountLink id={actor.slice(actor.indexOf(':') + 1)} name={actorName} />
}
