/** Shows an id or an actor on one line, with the whole in the title. */
export function Id({ text }: { readonly text: string }) {
  return (
    <code class="id" title={text}>
      {text}
    </code>
  )
}
