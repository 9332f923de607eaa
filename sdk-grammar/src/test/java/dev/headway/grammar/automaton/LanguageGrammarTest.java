package dev.headway.grammar.automaton;

import dev.headway.api.request.Grammar;
import dev.headway.grammar.Constraint;
import dev.headway.testkit.request.GrammarContract;
import java.util.List;
import org.junit.jupiter.api.Nested;

/** The contract of grammars, for one of each kind. */
class LanguageGrammarTest {

  private abstract static class Contract extends GrammarContract {
    private final Walks walks = new Walks();
    private final Constraint constraint;

    Contract(Constraint constraint) {
      this.constraint = constraint;
    }

    @Override
    protected Grammar create() {
      return walks.compile(constraint);
    }

    @Override
    protected int vocabularySize() {
      return walks.size();
    }
  }

  @Nested
  class OfSchema extends Contract {
    OfSchema() {
      super(
          new Constraint.JsonSchema(
              """
              {"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"},
               "items":{"type":"array","items":{"$ref":"#"}}},"required":["name"]}
              """));
    }
  }

  @Nested
  class OfAnyObject extends Contract {
    OfAnyObject() {
      super(new Constraint.JsonObject());
    }
  }

  @Nested
  class OfRegex extends Contract {
    OfRegex() {
      super(new Constraint.Regex("(a|é日){2,20}[0-9]*"));
    }
  }

  @Nested
  class OfChoice extends Contract {
    OfChoice() {
      super(new Constraint.Choice(List.of("name", "names", "true", "a")));
    }
  }
}
