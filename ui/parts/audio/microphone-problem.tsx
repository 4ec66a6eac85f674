import type { ComponentChildren } from 'preact'
import { texts } from '../../texts/texts.ts'
import { CopyButton } from '../copy-button.tsx'
import type { MicrophoneProblem } from './recording.ts'

interface MicrophoneProblemTextProps {
  readonly id?: string
  /** Undefined leaves the place empty. */
  readonly problem: MicrophoneProblem | undefined
  /** Another way to go on */
  readonly children?: ComponentChildren
}

/** Says why there is no microphone, and what helps. */
export function MicrophoneProblemText({ id, problem, children }: MicrophoneProblemTextProps) {
  const { hostname, port } = location
  // Ports below 1024 take root on one's own machine.
  const localPort = port === '' ? '8080' : port
  const command = `ssh -L ${localPort}:${hostname}:${port === '' ? '80' : port} ${hostname}`
  return (
    <div id={id} class={problem === 'insecure' ? 'microphone hint' : 'microphone warn'} role="status">
      {problem !== undefined && (
        <p>
          {texts.voice.microphone[problem]} {children}
        </p>
      )}
      {problem === 'insecure' && (
        <p>
          {texts.voice.forward} <code>{command}</code> <CopyButton text={command} what={texts.voice.command} />{' '}
          {texts.voice.forwarded(`http://localhost:${localPort}`)} <a href="/docs/tls">{texts.voice.tls}</a>
        </p>
      )}
    </div>
  )
}
