package dev.headway.toolbox.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.internal.SafeText;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MarkupTest {

  @Test
  void shouldEscapeWhatIsMarkup() {
    final Markup markup = new Markup().element("p", "a < b & \"c\" > 'd'", "title", "\"><script>");

    assertThat(markup)
        .hasToString(
            "<p title=\"&quot;&gt;&lt;script&gt;\">a &lt; b &amp; &quot;c&quot; &gt; &#39;d&#39;</p>");
  }

  @Test
  void shouldShowWhatHidesTextAsTheApiDoes() {
    for (int first = 0; first <= Character.MAX_CODE_POINT; first += 0x800) {
      final String text =
          IntStream.range(first, first + 0x800)
              .filter(point -> "&<>\"'".indexOf(point) < 0)
              .mapToObj(Character::toString)
              .collect(Collectors.joining());

      assertThat(new Markup().text(text)).as("from U+%x", first).hasToString(SafeText.of(text));
    }
  }

  @Test
  void shouldCloseTheInnermostElementFirst() {
    final Markup markup = new Markup().open("p").open("b");

    assertThatThrownBy(() -> markup.close("p"))
        .hasMessage("the innermost open element must be closed first: tag=p, open=[b, p]");
    assertThatThrownBy(markup::toString).hasMessage("every element must be closed: open=[b, p]");
  }
}
