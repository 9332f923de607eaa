package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.probe.JourneyEvent;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.serving.TextExecutor;
import dev.headway.serving.chat.JinjaTemplate;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What clients write stays between them and the server: no record and no log line has it. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PrivacyTest {

  private static final String SECRET = "my-own-words";
  private static final String COMPLETIONS = "/v1/completions";
  private static final String CHATS = "/v1/chat/completions";

  @TempDir private Path directory;

  private final Watch watch = new Watch();
  private Served served;

  @Test
  void shouldRecordFieldAndCodeOfARefusalAndNotItsValue() throws IOException {
    final Path journal = directory.resolve("journal");
    final ByteArrayOutputStream log = new ByteArrayOutputStream();
    final PrintStream standardError = System.err;
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      final Served.Setup setup =
          new Served.Setup().probe(watch).probe(JournalProbe.open(journal, JournalLevel.DEBUG));
      setup.chatTemplate =
          JinjaTemplate.of(
              "quoting",
              "{% if '-' in messages[0]['content'] %}"
                  + "{{ raise_exception('not ' + messages[0]['content']) }}{% endif %}",
              Map.of());
      served = setup.start(new TextExecutor("y".repeat(900), 200));

      refuse(COMPLETIONS, "{'prompt':{'a':'%s'}}", 400);
      refuse(COMPLETIONS, "{'prompt':['%s',1]}", 400);
      refuse(COMPLETIONS, "{'prompt':'x','temperature':'%s'}", 400);
      refuse(COMPLETIONS, "{'prompt':'x','suffix':'%s'}", 400);
      refuse(COMPLETIONS, "{'prompt':'x','stop':['%s','']}", 400);
      refuse(COMPLETIONS, "{'prompt':'x','model':'%s'}", 404);
      refuse(COMPLETIONS, "{'prompt':'%s", 400);
      refuse(COMPLETIONS, "{'prompt':%s}", 400);
      refuse(CHATS, "{'messages':[{'role':'%s','content':'x'}]}", 400);
      refuse(CHATS, "{'messages':[{'role':'user','content':['%s']}]}", 400);
      refuse(CHATS, "{'messages':[{'role':'user','content':'%s'}]}", 400);
      refuse("/generate", "{'text':'x','rid':'%s \\u001b[31m'}", 400);
      refuse("/generate", "{'text':'x','rid':'" + SECRET.repeat(20) + "'}", 400);
      taken(COMPLETIONS, "{'prompt':'%1$s','stop':'%1$s','cache_salt':'%1$s','max_tokens':2}");
      final List<JourneyEvent> aborted =
          watch.journeys.stream().filter(event -> event.reason() != null).toList();
      served.close();

      assertThat(aborted).hasSize(13).allSatisfy(PrivacyTest::saysNoMoreThanFieldAndCode);
      assertThat(aborted.getFirst().error())
          .isEqualTo("status=400, code=invalid_request_error, field=prompt");
    } finally {
      System.setErr(standardError);
    }

    try (Stream<Path> files = Files.walk(journal)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
            .as(file.toString())
            .doesNotContain(SECRET);
      }
    }
    assertThat(log.toString(StandardCharsets.UTF_8)).doesNotContain(SECRET);
  }

  private static void saysNoMoreThanFieldAndCode(JourneyEvent event) {
    assertThat(event.error()).startsWith("status=4").hasSizeLessThan(120).doesNotContain(SECRET);
  }

  private void refuse(String path, String body, int status) {
    assertThat(post(path, body)).as(body).isEqualTo(status);
  }

  private void taken(String path, String body) {
    assertThat(post(path, body)).as(body).isEqualTo(200);
  }

  private int post(String path, String body) {
    final String json = body.replace('\'', '"').replace("%1$s", SECRET).replace("%s", SECRET);
    return served.post(path, json, "traceparent", SECRET).statusCode();
  }
}
