/** An id, or who did something, on one line. Where there is no room for all of it the title has the rest. */
export function Id({ text }: { readonly text: string }) {
  return (
    <code class="id" title={text}>
      {text}
    </code>
  )
}
