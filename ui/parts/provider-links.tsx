import { providerAddress, status } from '../api/session.ts'
import { texts } from '../texts/texts.ts'

interface ProviderLinksProps {
  /** Path to open after the sign-in. */
  readonly next: string
  /** True to open another tab, for a page with typed text. */
  readonly isAside?: boolean
}

/** Links that sign in by an identity provider. Nothing where none is set up. */
export function ProviderLinks({ next, isAside = false }: ProviderLinksProps) {
  return (status.value?.providers ?? []).map(({ name, label, start }) => (
    // The target keeps the router from opening it.
    <a key={name} class="button" href={providerAddress(start, next)} target={isAside ? '_blank' : '_self'}>
      {texts.signIn.by(label)}
    </a>
  ))
}

/** Links by which the account that is signed in also gets identities of providers that it has none of. */
export function ProviderLinking({ linked }: { readonly linked: readonly string[] }) {
  const open = (status.value?.providers ?? []).filter(({ name }) => !linked.includes(name))
  if (open.length === 0) return null
  return (
    <section class="card stack">
      <h2>{texts.ownAccount.providersTitle}</h2>
      <p>{texts.ownAccount.providersText}</p>
      {open.map(({ name, label, start }) => (
        <p key={name}>
          <a class="button" href={`${providerAddress(start, '/dashboard/account')}&link=1`} target="_self">
            {texts.ownAccount.link(label)}
          </a>
        </p>
      ))}
    </section>
  )
}
