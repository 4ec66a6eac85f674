import type { ComponentChildren } from 'preact'

/** Shows a part under its name. Tests take a picture of each section by its id. */
export function Section({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <section id={name.toLowerCase().replaceAll(/\W+/g, '-')}>
      <h2>{name}</h2>
      {children}
    </section>
  )
}
