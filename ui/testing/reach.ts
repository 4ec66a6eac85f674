import type { Page } from 'playwright-core'

/** Result of a walk through a page by keyboard */
export interface Reach {
  /** Usable elements that Tab did not reach, as HTML */
  readonly unreached: readonly string[]
  /** Elements that do not show that they have the focus */
  readonly unmarked: readonly string[]
  /** Levels of the visible headings, from the top */
  readonly headings: readonly number[]
}

/** Walks through the whole page by Tab. */
export async function reachByTab(page: Page): Promise<Reach> {
  const count = await page.evaluate(() => {
    const scope = document.querySelector('dialog[open]') ?? document.body
    const usable = 'a[href], button, input, select, textarea, summary, [tabindex="0"]'
    const elements = [...scope.querySelectorAll<HTMLElement>(usable)].filter(
      (element) =>
        element.checkVisibility({ visibilityProperty: true }) &&
        // Tab need not reach these: arrow keys move within a tab list, a button opens a file input, and pictures have
        // a list beside them.
        (element.tabIndex >= 0 || element.closest('[role=tablist], input[type=file], [aria-hidden=true]') === null) &&
        !element.matches(':disabled'),
    )
    for (const element of elements) element.dataset.wanted = 'yes'
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    return elements.length
  })
  const unmarked: string[] = []
  for (let presses = 0; presses < count + 3; presses += 1) {
    await page.keyboard.press('Tab')
    const found = await page.evaluate(() => {
      const element = document.activeElement
      if (!(element instanceof HTMLElement) || element === document.body) return undefined
      delete element.dataset.wanted
      const { outlineStyle, outlineWidth } = getComputedStyle(element)
      return outlineStyle === 'none' || outlineWidth === '0px' ? element.outerHTML : undefined
    })
    if (found !== undefined) unmarked.push(found)
  }
  const rest = await page.evaluate(() => ({
    unreached: [...document.querySelectorAll('[data-wanted]')].map(({ outerHTML }) => outerHTML.slice(0, 200)),
    headings: [...document.querySelectorAll('h1, h2, h3, h4')]
      .filter((heading) => heading.checkVisibility())
      .map(({ tagName }) => Number(tagName.slice(1))),
  }))
  return { ...rest, unmarked }
}

/** Returns whether headings begin with the page's own and skip no level. */
export function areInOrder(headings: readonly number[]): boolean {
  return headings[0] === 1 && headings.every((level, index) => index === 0 || level <= (headings[index - 1] ?? 0) + 1)
}
