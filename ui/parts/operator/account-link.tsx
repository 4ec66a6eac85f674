interface AccountLinkProps {
  readonly id: string
  /** What people call it; undefined where that is not known. */
  readonly name: string | null
  /** A tab of its page. */
  readonly tab?: string
}

/** Leads to the page of an account. */
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

/** Who did something: an account by its name, others such as `cli:root` as they are recorded. */
export function Actor({ actor, actorName }: { readonly actor: string; readonly actorName: string | null }) {
  if (actorName === null) return <code title={actor}>{actor}</code>
  return <AccountLink id={actor.slice(actor.indexOf(':') + 1)} name={actorName} />
}
