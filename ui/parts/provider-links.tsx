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
