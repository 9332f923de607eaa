package dev.headway.probes.dashboard.probe;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeProvider;
import dev.headway.events.live.LiveOptions;
import dev.headway.events.live.NamedOptions;
import dev.headway.probes.dashboard.page.Dashboard;
import dev.headway.probes.dashboard.page.DashboardPages;
import dev.headway.probes.dashboard.page.DashboardServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a probe that shows on a page what the engine is doing; its name is {@code dashboard}.
 *
 * <table>
 *   <caption>Options</caption>
 *   <tr><td>port</td><td>9470 unless set; 0 takes any</td></tr>
 *   <tr><td>host</td><td>localhost unless set: every client that reaches it can read it</td></tr>
 * </table>
 *
 * <p>And those of {@link NamedOptions}. A server with endpoints of its own uses {@link Dashboard}.
 */
public final class DashboardProbeProvider implements ProbeProvider {

  private static final Logger LOG = LoggerFactory.getLogger(DashboardProbeProvider.class);
  private static final int PORT = 9_470;

  /** Called by {@link java.util.ServiceLoader}. */
  public DashboardProbeProvider() {}

  @Override
  public String name() {
    return "dashboard";
  }

  @Override
  public String description() {
    return "Shows on a page, over HTTP, what the engine is doing and why requests wait.";
  }

  /**
   * Opens the page.
   *
   * @throws IOException if the address is taken
   * @throws IllegalArgumentException if an option is unknown or out of range
   */
  @Override
  public Probe create(ProbeContext context) throws IOException {
    final NamedOptions options = new NamedOptions(name(), context.options(), "port", "host");
    final LiveOptions live = options.live();
    final InetSocketAddress address =
        new InetSocketAddress(
            Objects.requireNonNullElse(options.text("host"), "localhost"),
            (int) options.number("port", PORT, 0, 65_535));
    final DashboardPages pages = new DashboardPages();
    final DashboardServer server = DashboardServer.open(pages, address);
    LOG.info(
        "dashboard: http://{}:{}/",
        server.address().getHostString(),
        Integer.toString(server.address().getPort()));
    return Dashboard.probe(live, pages, server);
  }
}
