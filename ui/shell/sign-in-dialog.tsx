import { loadMe, me, startAnew } from '../api/session.ts'
import { signedInAgain } from '../api/signed-out.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ProviderLinks } from '../parts/provider-links.tsx'
import { SignInForm } from '../parts/sign-in-form.tsx'
import { texts } from '../texts/texts.ts'

/**
 * Asks for the password over the page when the session has ended. Waiting requests are then repeated, but never for
 * another account: if that signs in, its own pages are loaded.
 */
export function SignInDialog() {
  const known = me.value?.email ?? me.value?.name
  return (
    <Dialog title={texts.shell.signInTitle} mayClose={false} onClose={() => undefined}>
      <p>{texts.shell.signInText}</p>
      <ProviderLinks next={location.pathname} isAside />
      <SignInForm
        email={known ?? ''}
        isPasswordFirst={known !== undefined}
        onSignedIn={async () => {
          const { id } = await loadMe({ isForGuests: true })
          if (id === me.value?.id) signedInAgain()
          else startAnew()
        }}
      />
    </Dialog>
  )
}
