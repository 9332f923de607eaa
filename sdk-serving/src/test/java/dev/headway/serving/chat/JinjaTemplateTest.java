package dev.headway.serving.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.headway.serving.tokenizer.Tokenizer.SpecialTokens;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JinjaTemplateTest {

  private static final Path OURS = Path.of("src", "test", "resources", "chat");
  private static final List<ChatMessage> HELLO = List.of(new ChatMessage("user", "Hello"));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "chatml.jinja",
        "constructs.jinja",
        "headers.jinja",
        "instructions.jinja",
        "thinking.jinja",
        "turns.jinja"
      })
  void shouldWriteWhatPythonsJinjaWrites(String name) throws IOException {
    final ExpectedPrompts expected = new ExpectedPrompts(OURS);
    final JinjaTemplate template = expected.open(name);

    final List<List<ChatMessage>> conversations = expected.conversations();
    for (int i = 0; i < conversations.size(); i++) {
      assertThat(promptOrNull(template, conversations.get(i)))
          .as("%s, conversation %d", name, i)
          .isEqualTo(expected.prompt(name, i));
    }
    assertThat(conversations).hasSizeGreaterThan(5);
    assertThat(template.specialTokens()).isEqualTo(SpecialTokens.LEFT_OUT);
  }

  /** A folder of models' own templates: a prompt that is written is Python's. */
  @Test
  void shouldStripMegabytesAsFastAsAWord() throws IOException {
    final String spaces = " \n".repeat(1 << 20);
    final String dashes = "]-".repeat(1 << 20);
    final JinjaTemplate template =
        JinjaTemplate.of(
            "test",
            "{% for m in messages %}{{ m.content.strip() }}|{{ m.content.strip('-]') }}{% endfor"
                + " %}",
            Map.of(),
            Duration.ofSeconds(2));

    assertThat(template.render(List.of(new ChatMessage("user", spaces + "a b" + spaces))))
        .startsWith("a b| ");
    assertThat(template.render(List.of(new ChatMessage("user", dashes + "a-b" + dashes))))
        .endsWith("|a-b");
    assertThat(template.render(List.of(new ChatMessage("user", spaces)))).startsWith("|");
  }

  @Test
  @Tag("slow") // needs templates that are not ours to keep
  void shouldWriteNothingElseForTemplatesOfModels() throws IOException {
    final String folder = System.getProperty("headway.chatTemplates", "");
    assumeTrue(
        !folder.isEmpty(),
        "not tested with published chat templates: give them by -Dheadway.chatTemplates=DIR");
    final ExpectedPrompts expected = new ExpectedPrompts(Path.of(folder));
    final List<String> refused = new ArrayList<>();

    for (String name : expected.templates()) {
      try {
        assertNothingElseIsWritten(expected, name, expected.open(name));
      } catch (IOException e) {
        refused.add(e.getMessage());
      }
    }

    assertThat(refused).as("refused at the start").hasSizeLessThan(expected.templates().size() / 4);
  }

  private static void assertNothingElseIsWritten(
      ExpectedPrompts expected, String name, JinjaTemplate template) {
    final List<List<ChatMessage>> conversations = expected.conversations();
    for (int i = 0; i < conversations.size(); i++) {
      final String prompt = expected.prompt(name, i);
      if (prompt != null) {
        assertThat(promptOrNull(template, conversations.get(i)))
            .as("%s, conversation %d", name, i)
            .isEqualTo(prompt);
      }
    }
  }

  private static String promptOrNull(JinjaTemplate template, List<ChatMessage> messages) {
    try {
      return template.render(messages);
    } catch (ChatTemplateException e) {
      return null;
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`a\n{% unknown %}` | 2 | Unknown statement type: unknown",
        "`{% if messages %}\nyes` | 1 | it ends inside a block or a tag",
        "`{# '{{' #}\n{{ 'a' }}\n\n{{ messages | nosuchfilter }}\n{{ 'b' }}` | 4 | nosuchfilter",
        "`{% for m in messages %}\n"
            + "{{ m.content }}\n"
            + "{{ m.content.nosuchmethod() }}{% endfor %}` | 3 | function",
        "`a\n{{ 'x` | 2 | Unexpected end of input",
        "`{% set x = %}` | 1 | Unexpected token",
        "`{{ 1 +\n1 }}\n{{ \"a }}\" }}\n{{ @ }}` | 4 | Unexpected character",
        "`\n{% macro f() %}{{ f() }}{% endmacro %}\n{{ f() }}` | 2 | not a function"
      })
  void shouldRefuseWhatCannotBeRun(String source, int line, String reason) {
    assertThatThrownBy(() -> JinjaTemplate.of("a/b.jinja", source, Map.of()))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "the chat template must be one that can be run: file=a/b.jinja, line=" + line + ": ")
        .hasMessageContaining(reason)
        .extracting(Throwable::getMessage)
        .asString()
        .doesNotContain("\n");
  }

  @Test
  void shouldRefuseATemplateThatTakesNoUser() {
    assertThatThrownBy(
            () -> JinjaTemplate.of("f", "{{ raise_exception('tools are needed') }}", Map.of()))
        .isInstanceOf(IOException.class)
        .hasMessageEndingWith("file=f, tools are needed");
  }

  @Test
  void shouldTellWhatTheTemplateSaysOfMessagesThatItDoesNotTake() throws IOException {
    final JinjaTemplate template =
        JinjaTemplate.of(
            "f",
            "{% if messages | length > 4 %}{{ raise_exception('at most 4\\nmessages') }}{% endif %}"
                + "\n{% if messages[0].content == 'x' %}{{ messages[0].content.nothing() }}"
                + "{% endif %}{{ messages[0].content }}",
            Map.of());

    final ChatTemplateException refused =
        catchThrowableOfType(
            ChatTemplateException.class,
            () ->
                template.render(
                    List.of(HELLO.get(0), HELLO.get(0), HELLO.get(0), HELLO.get(0), HELLO.get(0))));
    final ChatTemplateException failed =
        catchThrowableOfType(
            ChatTemplateException.class,
            () -> template.render(List.of(new ChatMessage("user", "x"))));

    assertThat(refused).hasMessage("at most 4 messages");
    assertThat(refused.kind()).isEqualTo(ChatTemplateException.Kind.REFUSED);
    assertThat(failed).hasMessageStartingWith("line=2: ");
    assertThat(failed.kind()).isEqualTo(ChatTemplateException.Kind.FAILED);
    assertThat(template.render(HELLO)).isEqualTo("Hello");
  }

  @Test
  void shouldEndATemplateThatDoesNot() {
    assertThatThrownBy(
            () ->
                JinjaTemplate.of(
                    "f",
                    "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}"
                        + "{% endfor %}",
                    Map.of(),
                    Duration.ofMillis(500)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("it must end within 500 ms");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{{ java }}",
        "{{ Packages }}",
        "{{ messages.constructor }}",
        "{{ messages.getClass }}",
        "{{ messages.__class__ }}",
        "{{ importPackage }}"
      })
  void shouldSeeNothingButTheMessages(String source) throws IOException {
    assertThat(JinjaTemplate.of("f", source, Map.of()).render(HELLO)).isEmpty();
  }

  @Test
  void shouldGiveEachOfManyThreadsItsPrompt()
      throws IOException, InterruptedException, ExecutionException {
    final JinjaTemplate template =
        JinjaTemplate.of(
            "f",
            "{% set ns = namespace(a='') %}{% for i in range(9) %}{% set ns.a = ns.a +"
                + " messages[0].content %}{% endfor %}{{ ns.a }}",
            Map.of());
    final List<Callable<String>> renderings = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      final List<ChatMessage> messages = List.of(new ChatMessage("user", "<" + i + ">"));
      renderings.add(() -> template.render(messages));
    }

    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      final List<Future<String>> prompts = threads.invokeAll(renderings);
      for (int i = 0; i < prompts.size(); i++) {
        assertThat(prompts.get(i).get()).isEqualTo(("<" + i + ">").repeat(9));
      }
    }
  }

  @Test
  @Timeout(60)
  void shouldGiveUpATemplateThatTakesTooLongToRead() {
    final String source = "{% if a %}".repeat(5_000);

    final IOException failure =
        catchThrowableOfType(
            IOException.class,
            () -> JinjaTemplate.of("bomb", source, Map.of(), Duration.ofMillis(300)));

    assertThat(failure).hasMessageContaining("file=bomb");
  }

  @Test
  void shouldNotRunATemplateAgainThatHasTakenTooLong() throws IOException {
    final JinjaTemplate template =
        JinjaTemplate.of(
            "loop",
            "{% if messages|length > 5 %}{% for i in range(100000) %}{% for j in range(100000) %}"
                + "{% endfor %}{% endfor %}{% endif %}ok",
            Map.of(),
            Duration.ofMillis(500));

    final ChatTemplateException failure =
        catchThrowableOfType(
            ChatTemplateException.class,
            () -> template.render(Collections.nCopies(6, new ChatMessage("user", "a"))));

    assertThat(failure.kind()).isEqualTo(ChatTemplateException.Kind.TOO_LONG);
    assertThat(failure).hasMessage("it must end within 500 ms"); // the line takes another run
    assertThat(template.render(HELLO)).isEqualTo("ok");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{{ 'a' | indent(2000000000) }}",
        "{{ messages | tojson(indent=2000000000) }}",
        "{{ 'a\nb' | indent(1048577) }}"
      })
  void shouldBoundWhatANumberMakes(String source) {
    assertThatThrownBy(() -> JinjaTemplate.of("indent", source, Map.of()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("must not make more than 1048576 characters");
  }
}
