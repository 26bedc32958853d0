import fc from "fast-check";

/** Values that a variable can have, weighted towards those that some reader once got wrong. */
export const environmentValue: fc.Arbitrary<string> = fc
  .oneof(
    fc.string({
      unit: fc.constantFrom(
        "'",
        '"',
        "\\",
        "$",
        "`",
        "\n",
        "\r",
        "\t",
        " ",
        "#",
        ";",
        "=",
        "!",
        "~",
        "{",
        "a",
        "é",
        "%",
      ),
      maxLength: 12,
    }),
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.string({ unit: "grapheme", maxLength: 20 }),
    fc.constantFrom(
      "",
      " ",
      "$HOME",
      "$(id)",
      "`id`",
      "x \\",
      "\\\n",
      "a\\\nb",
      "%i %%",
      "~/x",
      "-n",
      "\ufeff",
      "\x81\x88",
    ),
    fc.constant("-----BEGIN PRIVATE KEY-----\nMIIB+/=\nAbC\n-----END PRIVATE KEY-----\n"),
  )
  .map((text) => text.replace(/\0|\p{Noncharacter_Code_Point}|\p{Surrogate}/gu, ""));
