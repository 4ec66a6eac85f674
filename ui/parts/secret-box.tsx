import { useEffect, useId } from 'preact/hooks'
import { askBeforeLeaving } from '../router/router.ts'
import { texts } from '../texts/texts.ts'
import { CopyButton } from './copy-button.tsx'

export interface SecretBoxProps {
  /** Name of the secret, such as "API key". */
  readonly label: string
  readonly secret: string
  /** True once the secret was copied or ticked as stored. Its dialog may then be closed. */
  readonly isStored: boolean
  readonly onStored: (isStored: boolean) => void
}

/** Asks before leaving the page until the secret is stored. */
export function useAskUntilStored(isStored: boolean): void {
  useEffect(() => {
    askBeforeLeaving(isStored ? undefined : texts.shared.secretLost)
    return () => askBeforeLeaving(undefined)
  }, [isStored])
}

/** Shows a secret that is shown once and kept in memory alone. Asks before leaving the page until it is stored. */
export function SecretBox({ label, secret, isStored, onStored }: SecretBoxProps) {
  const id = useId()
  useAskUntilStored(isStored)

  return (
    <>
      <div class="field">
        <label for={id}>{label}</label>
        <div class="row">
          <input
            id={id}
            class="code"
            readOnly
            autoComplete="off"
            value={secret}
            onFocus={({ currentTarget }) => currentTarget.select()}
            onCopy={() => onStored(true)}
          />
          <CopyButton text={secret} what={label} onCopied={() => onStored(true)} />
        </div>
      </div>
      <label class="check">
        <input type="checkbox" checked={isStored} onChange={({ currentTarget }) => onStored(currentTarget.checked)} />{' '}
        {texts.shared.stored}
      </label>
    </>
  )
}
