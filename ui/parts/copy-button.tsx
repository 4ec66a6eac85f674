import { useEffect, useRef, useState } from 'preact/hooks'
import { texts } from '../texts/texts.ts'
import { tell } from './announce.tsx'
import { Icon } from './icon.tsx'

interface CopyButtonProps {
  readonly text: string
  /** Name of the text for screen readers, such as "API key". */
  readonly what: string
  readonly onCopied?: () => void
  /** True to show the icon alone. */
  readonly isIcon?: boolean
}

const shownMs = 2_000

/** Copies a text. If the browser cannot, it shows the text selected and names the keys to press. */
export function CopyButton({ text, what, onCopied, isIcon = false }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'by-hand'>('idle')
  const place = useRef<HTMLSpanElement>(null)
  const field = useRef<HTMLInputElement>(null)

  useEffect(() => {
    if (state === 'by-hand') field.current?.select()
    if (state !== 'copied') return
    const timer = setTimeout(() => setState('idle'), shownMs)
    return () => clearTimeout(timer)
  }, [state])

  const copy = async () => {
    if (place.current === null) return
    const isCopied = await copyText(text, place.current)
    setState(isCopied ? 'copied' : 'by-hand')
    if (!isCopied) return
    tell(`${texts.shared.copied}: ${what}`)
    onCopied?.()
  }

  return (
    <span class="copy" ref={place}>
      <button
        type="button"
        class={isIcon ? 'quiet icon-button' : 'small quiet'}
        title={isIcon ? texts.shared.copy : undefined}
        aria-label={`${texts.shared.copy}: ${what}`}
        onClick={() => void copy()}
      >
        <Icon name={state === 'copied' ? 'check' : 'copy'} />
        {!isIcon && ` ${state === 'copied' ? texts.shared.copied : texts.shared.copy}`}
      </button>
      {state === 'by-hand' && (
        <label class="by-hand">
          {texts.shared.pressCopy} <input ref={field} readOnly value={text} onCopy={() => onCopied?.()} />
        </label>
      )}
    </span>
  )
}

/**
 * Copies a text. Returns false if the browser does not allow it. Over http, except on this machine, there is no
 * clipboard, only the old command on a selected field. The field is added to `place`, because a dialog makes
 * everything outside it unreachable.
 */
async function copyText(text: string, place: HTMLElement): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    try {
      await navigator.clipboard.writeText(text)
      return true
    } catch {
      // The permission was refused, but the old command may still work.
    }
  }
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.className = 'copied-text'
  place.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  return isCopied
}
