import { generate } from 'lean-qr'
import { toSvgPath } from 'lean-qr/extras/svg'

interface QrCodeProps {
  readonly content: string
  /** Text for people who do not see it. */
  readonly label: string
}

/** Empty modules around a code, which cameras need */
const margin = 4

/** Shows a text as a QR code, black on white in both themes. */
export function QrCode({ content, label }: QrCodeProps) {
  const code = generate(content)
  const side = code.size + 2 * margin
  return (
    <svg
      role="img"
      width="200"
      height="200"
      aria-label={label}
      viewBox={`${-margin} ${-margin} ${side} ${side}`}
      shape-rendering="crispEdges"
    >
      <rect x={-margin} y={-margin} width={side} height={side} fill="#fff" />
      <path d={toSvgPath(code)} fill="#000" />
    </svg>
  )
}
