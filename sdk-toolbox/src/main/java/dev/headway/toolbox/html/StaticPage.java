package dev.headway.toolbox.html;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A page of figures and tables without scripts, in the report's dress. Loads nothing. Stateless.
 */
public final class StaticPage {

  private StaticPage() {}

  /**
   * Renders a page.
   *
   * @param title its heading, and what the browser shows
   * @param subtitle a line below it
   * @param sections titles by id, for the links at the top
   * @param body writes the sections, each under its id
   */
  public static String render(
      String title, String subtitle, Map<String, String> sections, Consumer<Markup> body) {
    final Markup out = new Markup();
    out.trusted("<!DOCTYPE html>\n").open("html", "lang", "en").open("head");
    head(out, "Headway: " + title, "");
    out.open("style").trusted(styleSheet()).close("style");
    out.close("head").line().open("body");
    out.open("header").element("h1", title).element("p", subtitle);
    out.open("nav", "aria-label", "Sections");
    sections.forEach((id, name) -> out.element("a", name, "href", "#" + id));
    out.close("nav").close("header").line();
    out.open("main");
    body.accept(out);
    out.close("main").close("body").close("html").line();
    return out.toString();
  }

  /**
   * Writes the head of a page but for its style: that it may load nothing, and its title.
   *
   * @param scripts hashes of the scripts that it has in itself, as a policy names them; empty for
   *     none
   */
  public static void head(Markup out, String title, String scripts) {
    out.single("meta", "charset", "utf-8");
    out.single("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
    out.single(
        "meta",
        "http-equiv",
        "Content-Security-Policy",
        "content",
        "default-src 'none'; style-src 'unsafe-inline'; "
            + (scripts.isEmpty() ? "" : "script-src " + scripts + "; ")
            + "base-uri 'none'; form-action 'none'");
    out.element("title", title);
  }

  /** The style sheet of all pages, with the classes of plots. */
  public static String styleSheet() {
    try (InputStream in = StaticPage.class.getResourceAsStream("page.css")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
