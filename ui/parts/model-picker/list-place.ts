/** Size of the list on a wide page, in pixels. It is smaller where the page is. */
const list = { width: 480, height: 480, gap: 4 }

/** Returns where the list opens, as custom properties: below the button, or above where there is more room. */
export function listPlace(button: HTMLElement | null): Readonly<Record<string, string>> {
  const { left = 0, top = 0, bottom = 0 } = button?.getBoundingClientRect() ?? {}
  const { gap, width, height } = list
  const below = innerHeight - bottom - 2 * gap
  const above = top - 2 * gap
  const isBelow = below >= Math.min(height, above)
  return {
    '--list-left': `${Math.max(gap, Math.min(left, innerWidth - width - gap))}px`,
    '--list-top': isBelow ? `${bottom + gap}px` : 'auto',
    '--list-bottom': isBelow ? 'auto' : `${innerHeight - top + gap}px`,
    '--list-most': `${Math.min(height, isBelow ? below : above)}px`,
  }
}
