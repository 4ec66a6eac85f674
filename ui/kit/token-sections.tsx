/** The tokens to look at: surfaces, colours of meaning and of series, sizes of text. */
import { Section } from './section.tsx'

const surfaces = ['bg', 'surface', 'raised', 'tint', 'accent-tint'] as const
const meanings = ['text', 'muted', 'accent', 'ok', 'warn', 'bad'] as const

/** Sizes of text from the largest, each with where it stands */
const sizes = [
  ['h1', 'Title of a page'],
  ['h2', 'Title of a section'],
  ['text', 'Text that is read'],
  ['control', 'Controls, tables and hints'],
  ['label', 'Labels of figures'],
] as const

export function TokenSections() {
  return (
    <>
      <Section name="Surfaces">
        <div class="row">
          {surfaces.map((surface) => (
            <div key={surface} class="card" style={{ background: `var(--${surface})` }}>
              <p>{surface}</p>
              <p>
                {meanings.map((meaning) => (
                  <span key={meaning} style={{ color: `var(--${meaning})` }}>
                    {meaning}{' '}
                  </span>
                ))}
              </p>
            </div>
          ))}
        </div>
      </Section>
      <Section name="Series">
        <ul class="legend">
          {Array.from({ length: 8 }, (_, index) => (
            <li key={index} class={`series-${index + 1}`}>
              <span class="swatch pattern-0" /> series {index + 1}
            </li>
          ))}
        </ul>
      </Section>
      <Section name="Text">
        {sizes.map(([size, text]) => (
          <p key={size} style={{ fontSize: `var(--size-${size})`, fontWeight: size.startsWith('h') ? 600 : 400 }}>
            {text}
          </p>
        ))}
        <p>
          <a href="#text">Link to this section</a>, <code>code</code>, <b>bold</b>, <span class="muted">muted</span>
        </p>
        <pre>inferd serve</pre>
      </Section>
    </>
  )
}
