import { useEffect, useId } from 'preact/hooks'
import { askBeforeLeaving } from '../router/router.ts'
import { texts } from '../texts/texts.ts'
import { CopyButton } from './copy-button.tsx'
import { saveText } from './save-text.ts'

/** Secret that is shown once and kept in memory alone. */
export interface Secret {
  /** Name of the secret, such as "API key". */
  readonly label: string
  /** Secret, or several, one per line */
  readonly secret: string
  /** File name for saving several secrets, which are then shown as a list and can be printed too */
  readonly fileName?: string
}

interface SecretBoxProps extends Secret {
  /** True once the secret was copied, saved or ticked as stored. Its dialog may then be closed. */
  readonly isStored: boolean
  readonly onStored: (isStored: boolean) => void
}

/** Shows a secret. Asks before leaving the page until it is stored. */
export function SecretBox({ label, secret, fileName, isStored, onStored }: SecretBoxProps) {
  useEffect(() => {
    askBeforeLeaving(isStored ? undefined : texts.shared.secretLost)
    return () => askBeforeLeaving(undefined)
  }, [isStored])
  const props = { label, secret, onStored: () => onStored(true) }

  return (
    <>
      {fileName === undefined ? <SecretField {...props} /> : <SecretList {...props} fileName={fileName} />}
      <label class="check">
        <input type="checkbox" checked={isStored} onChange={({ currentTarget }) => onStored(currentTarget.checked)} />{' '}
        {texts.shared.stored}
      </label>
    </>
  )
}

interface ShownProps extends Secret {
  readonly onStored: () => void
}

function SecretField({ label, secret, onStored }: ShownProps) {
  const id = useId()
  return (
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
          onCopy={onStored}
        />
        <CopyButton text={secret} what={label} onCopied={onStored} />
      </div>
    </div>
  )
}

function SecretList({ label, secret, fileName, onStored }: ShownProps & { readonly fileName: string }) {
  const save = () => {
    saveText(fileName, secret)
    onStored()
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      <pre class="codes" tabIndex={0} onCopy={onStored}>
        {secret}
      </pre>
      <div class="row">
        <CopyButton text={secret} what={label} onCopied={onStored} />
        <button type="button" class="small" onClick={save}>
          {texts.shared.saveAsText}
        </button>
        <button type="button" class="small" onClick={() => print()}>
          {texts.shared.printSlips}
        </button>
      </div>
    </>
  )
}
