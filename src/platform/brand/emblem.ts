const navy = '#12355b';
const gold = '#b8892b';

/** The crest without BRAND_FILE, a wheel under the sun, as SVG. */
export const emblem = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-100 -100 200 200">${[
  disc(100, `fill="${navy}"`),
  disc(90, `fill="none" stroke="${gold}" stroke-width="4"`),
  spokes(16, 65, 80, gold),
  disc(52, 'fill="#ffffff"'),
  disc(40, `fill="${navy}"`),
  spokes(6, 12, 40, '#ffffff'),
  disc(12, `fill="${gold}"`),
].join('')}</svg>`;

function disc(radius: number, paint: string): string {
  return `<circle r="${radius}" ${paint}/>`;
}

/** Draws lines between two radii as one path. */
function spokes(count: number, inner: number, outer: number, colour: string): string {
  const lines = Array.from({ length: count }, (_, index) => {
    const angle = (2 * Math.PI * index) / count;
    const point = (radius: number) => `${(radius * Math.cos(angle)).toFixed(2)} ${(radius * Math.sin(angle)).toFixed(2)}`;
    return `M${point(inner)}L${point(outer)}`;
  });
  return `<path d="${lines.join('')}" fill="none" stroke="${colour}" stroke-width="6"/>`;
}
