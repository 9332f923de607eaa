package dev.headway.grammar.automaton;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.headway.grammar.Constraint;
import dev.headway.grammar.ConstraintException;
import dev.headway.grammar.ConstraintException.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which texts each keyword leaves. */
class SchemaGrammarTest {

  private final Walks walks = new Walks();

  @ParameterizedTest
  @CsvSource(
      delimiterString = " | ",
      quoteCharacter = '~',
      textBlock =
          """
          {"type":"string"}                                  | "é\\n\\u00e9\\ud83d\\ude00"    | true
          {"type":"string"}                                  | "\\ud83d"                      | false
          {"type":"string"}                                  | "a\\x"                         | false
          {"type":"string","maxLength":2}                    | "é日"                          | true
          {"type":"string","maxLength":2}                    | "abc"                          | false
          {"type":"string","minLength":2}                    | "a"                            | false
          {"type":"string","minLength":2}                    | "abc"                          | true
          {"type":"string","minLength":1,"maxLength":1}      | "\\n"                          | true
          {"type":"string","pattern":"^a+$"}                 | "aaa"                          | true
          {"type":"string","pattern":"^a+$"}                 | "aab"                          | false
          {"type":"string","pattern":"b"}                    | "abc"                          | true
          {"type":"string","pattern":"b"}                    | "ac"                           | false
          {"type":"string","pattern":"^.\\"$"}               | "x\\""                         | true
          {"type":"string","pattern":"^a+$","maxLength":2}   | "aaa"                          | false
          {"type":"string","pattern":"^(ab|c)d?$"}           | "cd"                           | true
          {"type":"string","pattern":"^[^<>]*$","maxLength":800} | "a日é"                    | true
          {"type":"string","format":"date"}                  | "2024-02-29"                   | true
          {"type":"string","format":"date"}                  | "2023-02-29"                   | false
          {"type":"string","format":"date-time"}             | "2023-04-30T23:59:59.5+01:00"  | true
          {"type":"string","format":"uuid"}                  | "01234567-89ab-cdef-0123-456789abcdef" | true
          {"type":"string","format":"email"}                 | "a.b@c-d.org"                  | true
          {"type":"string","format":"email"}                 | "a.b@c"                        | false
          {"type":"integer"}                                 | -12                            | true
          {"type":"integer"}                                 | 012                            | false
          {"type":"integer"}                                 | 1.5                            | false
          {"type":"number"}                                  | -1.5e+3                        | true
          {"type":"number"}                                  | .5                             | false
          {"type":"integer","minimum":-3,"maximum":12}       | -3                             | true
          {"type":"integer","minimum":-3,"maximum":12}       | -4                             | false
          {"type":"integer","minimum":-3,"maximum":12}       | 12                             | true
          {"type":"integer","minimum":-3,"maximum":12}       | 13                             | false
          {"type":"integer","minimum":-3,"maximum":12}       | 0                              | true
          {"type":"integer","exclusiveMinimum":5}            | 5                              | false
          {"type":"integer","exclusiveMinimum":5}            | 600                            | true
          {"type":"integer","exclusiveMaximum":0}            | 0                              | false
          {"type":"integer","exclusiveMaximum":0}            | -1                             | true
          {"type":"number","minimum":0,"maximum":1}          | 0.25                           | true
          {"type":"number","minimum":0,"maximum":1}          | 1.0                            | true
          {"type":"number","minimum":0,"maximum":1}          | 1.01                           | false
          {"type":"number","minimum":0.15}                   | 0.1                            | false
          {"type":"number","minimum":0.15}                   | 0.150                          | true
          {"type":"number","minimum":0.15}                   | 0.2                            | true
          {"type":"number","maximum":-2.5}                   | -2.4                           | false
          {"type":"number","maximum":-2.5}                   | -10                            | true
          {"type":"number","exclusiveMinimum":1,"maximum":2} | 1.0                            | false
          {"type":"number","exclusiveMinimum":1,"maximum":2} | 1.001                          | true
          {"type":["integer","null"]}                        | null                           | true
          {"type":["integer","null"]}                        | "a"                            | false
          {"type":"boolean"}                                 | true                           | true
          {"enum":["a",1,null,{"b":[1]}]}                    | {"b":[1]}                      | true
          {"enum":["a",1,null]}                              | 2                              | false
          {"const":"x"}                                      | "x"                            | true
          {"type":"string","enum":["a",1]}                   | 1                              | false
          {"anyOf":[{"type":"integer"},{"const":"no"}]}      | "no"                           | true
          {"oneOf":[{"type":"integer"},{"type":"string"}]}   | 7                              | true
          {"allOf":[{"type":"null"}]}                        | null                           | true
          {"type":"array","items":{"type":"integer"}}        | [1, 2,3]                       | true
          {"type":"array","items":{"type":"integer"}}        | []                             | true
          {"type":"array","items":{"type":"integer"}}        | [1,]                           | false
          {"type":"array","minItems":2,"maxItems":3}         | [1,"a"]                        | true
          {"type":"array","minItems":2,"maxItems":3}         | [1]                            | false
          {"type":"array","minItems":2,"maxItems":3}         | [1,2,3,4]                      | false
          {"prefixItems":[{"const":1},{"const":2}],"items":false} | [1,2]                     | true
          {"prefixItems":[{"const":1},{"const":2}],"items":false} | [1,2,3]                   | false
          {"prefixItems":[{"const":1}],"items":{"const":9}}  | [1,9,9]                        | true
          {"properties":{"a":{"const":1},"b":{"const":2}}}   | {}                             | true
          {"properties":{"a":{"const":1},"b":{"const":2}}}   | {"b": 2}                       | true
          {"properties":{"a":{"const":1},"b":{"const":2}}}   | {"a":1, "b":2}                 | true
          {"properties":{"a":{"const":1},"b":{"const":2}}}   | {"b":2,"a":1}                  | false
          {"properties":{"a":{"const":1},"b":{"const":2}}}   | {"c":2}                        | false
          {"properties":{"a":{"const":1}},"required":["a"]}  | {}                             | false
          {"properties":{"a":{"const":1}},"required":["a"]}  | {"a":1}                        | true
          {"properties":{"a":{"const":1}},"additionalProperties":{"const":2}} | {"a":1,"aa":2} | true
          {"properties":{"a":{"const":1}},"additionalProperties":{"const":2}} | {"a":2}        | false
          {"properties":{"a":{"const":1}},"additionalProperties":{"const":2}} | {"b":2,"c":2}  | true
          {"type":"object","properties":{}}                  | {}                             | true
          {"type":"object"}                                  | {"x":[{"y":null}]}             | true
          {"type":"object","required":["k"]}                 | {"k":1,"l":2}                  | true
          {"type":"object","required":["k"]}                 | {}                             | false
          {"type":"object","additionalProperties":{"type":"integer"}} | {"":1}                | true
          {}                                                 | [{"a":[null,-0.5e1]}]          | true
          true                                               | "x"                            | true
          {"$ref":"#/$defs/T","$defs":{"T":{"properties":{"n":{"anyOf":[{"$ref":"#/$defs/T"},{"type":"null"}]}},"required":["n"]}}} | {"n":{"n":{"n":null}}} | true
          """)
  void shouldTakeTextsOfTheSchemaOnly(String schema, String text, boolean isTaken) {
    assertThat(Walks.takes(walks.schema(schema), text)).isEqualTo(isTaken);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " | ",
      quoteCharacter = '~',
      textBlock =
          """
          {"properties":{"a":{"multipleOf":3}}} | UNSUPPORTED | #/properties/a/multipleOf | multipleOf is not supported: multipleOf=3
          {"type":"string","format":"iri"}      | UNSUPPORTED | #/format | format must be one of date, date-time, email, hostname, ipv4, time, uuid: format="iri"
          {"$ref":"http://x"}                   | UNSUPPORTED | #/$ref | $ref must be # or begin with #/, and be in the same schema: $ref="http://x"
          {"$ref":"#/$defs/x"}                  | INVALID     | #/$ref | $ref must lead to a schema that is there: $ref="#/$defs/x"
          {"$ref":"#"}                          | INVALID     | '' | a $ref must not lead back to itself without a value in between
          {"type":"text"}                       | INVALID     | #/type | type must be a name of JSON schemas' types, or an array of some: type="text"
          {"items":{"type":"string","pattern":"(?=a)"}} | UNSUPPORTED | #/items/pattern | a pattern must have no look-around and no flags: at=2, pattern=(?=a)
          {"oneOf":[{"type":"integer"},{"type":"number"}]} | UNSUPPORTED | #/oneOf | ~oneOf must have schemas of which no two can be met at once, by their types, constants or constants of required members (anyOf takes others): first=0, second=1: oneOf=[{"type":"integer"},{"type":"number"}]~
          {"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]} | INVALID | '' | a constraint must allow a text that ends and that the vocabulary has tokens for
          {"minLength":3,"maxLength":2}         | INVALID     | #/minLength | minLength must be <= maxLength: minLength=3
          {"properties":{"a":{}},"required":["b"]} | INVALID | #/required | ~required must name members of properties, 'b' too: required=["b"]~
          {"type":"integer","minimum":3,"maximum":2} | INVALID | #/minimum | minimum must leave a number: minimum=3
          {"$ref":"#/$defs/a","minLength":2,"$defs":{"a":{}}} | UNSUPPORTED | #/minLength | minLength is not supported beside $ref: minLength=2
          {"a":                                 | INVALID     | # | ~a schema must be JSON: Unexpected end-of-input within/between Object entries~
          """)
  void shouldRefuseByPathAndKeyword(String schema, Kind kind, String path, String message) {
    final ConstraintException refused =
        catchThrowableOfType(ConstraintException.class, () -> walks.schema(schema));

    assertThat(refused.kind()).isEqualTo(kind);
    assertThat(refused.path()).isEqualTo(path.equals("''") ? "" : path);
    assertThat(refused).hasMessage(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " | ",
      quoteCharacter = '~',
      textBlock =
          """
          [a-c]{2,3}       | abc   | true
          [a-c]{2,3}       | a     | false
          ^\\d+(\\.\\d+)?$ | 3.14  | true
          (?:yes|no)!?     | no!   | true
          [^a]             | é     | true
          [^a]             | a     | false
          \\u{1f600}       | 😀    | true
          a.c              | a日c  | true
          (?<x>a|b)*       | abba  | true
          """)
  void shouldTakeTextsThatARegexMatchesWhole(String regex, String text, boolean isTaken) {
    assertThat(Walks.takes(walks.compile(new Constraint.Regex(regex)), text)).isEqualTo(isTaken);
  }

  @Test
  void shouldTakeOneOfTheChoices() {
    final var grammar =
        walks.compile(new Constraint.Choice(java.util.List.of("yes", "yes, of course", "no")));

    assertThat(Walks.takes(grammar, "yes")).isTrue();
    assertThat(Walks.takes(grammar, "yes, of course")).isTrue();
    assertThat(Walks.takes(grammar, "yes, of")).isFalse();
  }

  @Test
  void shouldTakeAnyObject() {
    final var grammar = walks.compile(new Constraint.JsonObject());

    assertThat(Walks.takes(grammar, "{\"a\": [{\"b\": {}}, 1.5, \"x\"]}")).isTrue();
    assertThat(Walks.takes(grammar, "[]")).isFalse();
  }
}
