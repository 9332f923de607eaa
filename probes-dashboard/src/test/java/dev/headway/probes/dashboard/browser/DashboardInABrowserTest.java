package dev.headway.probes.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.headway.events.live.LiveOptions;
import dev.headway.probes.dashboard.BusyEngine;
import dev.headway.probes.dashboard.page.Dashboard;
import dev.headway.probes.dashboard.page.DashboardPages;
import dev.headway.probes.dashboard.page.DashboardServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page as a person sees it. Skipped where no Chromium is installed. */
class DashboardInABrowserTest {

  @TempDir static Path profile;

  private static final DashboardPages PAGES = new DashboardPages();
  private static DashboardServer server;
  private static Browser browser;

  @BeforeAll
  static void start() throws Exception {
    final Optional<Path> program = Browser.program();
    assumeTrue(program.isPresent(), "no chromium on the PATH");
    BusyEngine.run(Dashboard.probe(LiveOptions.DEFAULT, PAGES, () -> {}));
    server =
        DashboardServer.open(PAGES, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    browser = Browser.start(program.get(), profile);
  }

  @AfterAll
  static void stop() {
    if (browser != null) {
      browser.close();
    }
    if (server != null) {
      server.close();
    }
  }

  private static void open(int width, int height, String scheme) throws Exception {
    browser.screen(width, height, scheme);
    browser.open(URI.create("http://127.0.0.1:" + server.address().getPort() + "/"));
    browser.await("document.querySelector('#slow button')");
  }

  @Test
  void shouldShowTheFiguresOfTheRun() throws Exception {
    open(1440, 900, "light");

    assertThat(text("#running")).startsWith("0 of " + BusyEngine.SEATS);
    assertThat(text("#waiting")).startsWith("0");
    assertThat(text("#totals"))
        .contains(BusyEngine.REQUESTS + " queued, " + BusyEngine.REQUESTS + " ended");
    assertThat(text("#about")).contains("virtual time");
    assertThat(text("#causes")).isEqualTo("No request waits.");
    assertThat(browser.faults()).isEmpty();
  }

  @Test
  void shouldExplainTheRequestThatIsClicked() throws Exception {
    open(1440, 900, "light");

    browser.value("document.querySelector('#slow button').click()");

    assertThat(browser.value("document.querySelector('#detail').open").asBoolean()).isTrue();
    assertThat(text("#detail h2")).isEqualTo(text("#slow button"));
    assertThat(text("#detail ul")).contains("waiting behind a request ahead, which waited for");
    browser.value("document.querySelector('#detail button').click()");
    assertThat(browser.value("document.querySelector('#detail').open").asBoolean()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"1440, light", "1440, dark", "390, light", "390, dark"})
  void shouldFitTheScreenInItsColours(int width, String scheme) throws Exception {
    open(width, 800, scheme);

    assertThat(browser.value("document.documentElement.scrollWidth").asInt())
        .as("no sideways scrolling")
        .isLessThanOrEqualTo(width);
    assertThat(browser.value("getComputedStyle(document.body).backgroundColor").asString())
        .isEqualTo(scheme.equals("dark") ? "rgb(18, 22, 28)" : "rgb(246, 247, 249)");
    assertThat(
            browser
                .value(
                    "[...document.querySelectorAll('canvas')].every(c => c.width > 100 &&"
                        + " c.getContext('2d').getImageData(0, 0, c.width, c.height)"
                        + ".data.some(v => v > 0))")
                .asBoolean())
        .as("every plot is drawn")
        .isTrue();
    assertThat(browser.faults()).isEmpty();
  }

  private static String text(String selector) throws Exception {
    return browser.value("document.querySelector('" + selector + "').innerText").asString().trim();
  }
}
