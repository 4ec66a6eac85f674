import type { ComponentChildren } from 'preact'

/** Shows a line of named figures: `[['total', '1.2 s'], …]`. */
export function Figures({ items }: { readonly items: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="figures">
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
