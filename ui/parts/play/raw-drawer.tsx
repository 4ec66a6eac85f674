import { useState } from 'preact/hooks'
import { texts } from '../../texts/texts.ts'
import { CopyButton } from '../copy-button.tsx'
import { LongText } from '../long-text.tsx'
import { Tabs } from '../tabs.tsx'
import { shortenedJson, shortenedText } from './shortened.ts'

interface RawDrawerProps {
  readonly request: object
  /** Response as received, possibly in pieces. An object is shown as JSON. */
  readonly response: object | string | readonly string[] | undefined
}

/** Shows request and response as sent, folded by default. Files in them are shortened. */
export function RawDrawer(props: RawDrawerProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details class="raw-drawer" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{texts.play.raw}</summary>
      {isOpen && <RawTabs {...props} />}
    </details>
  )
}

function RawTabs({ request, response }: RawDrawerProps) {
  const [side, setSide] = useState<'request' | 'response'>('request')
  const shown = { request: shortenedJson(request), response: responseText(response) }[side]
  return (
    <Tabs label={texts.play.raw} value={side} choices={texts.play.rawSides} onChange={setSide}>
      <CopyButton text={shown} what={texts.play.rawSides[side]} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      <pre tabIndex={0}>
        <LongText text={shown} />
      </pre>
    </Tabs>
  )
}

function responseText(response: RawDrawerProps['response']): string {
  if (response === undefined) return texts.play.noResponse
  if (Array.isArray(response)) return shortenedText(response.join(''))
  return typeof response === 'string' ? shortenedText(response) : shortenedJson(response)
}
