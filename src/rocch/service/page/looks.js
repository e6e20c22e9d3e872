// How each classifier is drawn: page.css has the colors, hatching tells the ninth from the first.

const COLORS = 8;
const HATCHINGS = 4;
const TRIVIAL = "trivial";

/** A function from a classifier's name to the class of its look; the trivial ones are gray. */
export function looks(names) {
  const given = new Map(names.map((name, place) => {
    const round = Math.floor(place / COLORS) % HATCHINGS;
    return [name, `k${place % COLORS}${round ? ` h${round}` : ""}`];
  }));
  return (name) => given.get(name) || TRIVIAL;
}
