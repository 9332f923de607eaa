package dev.headway.probes.dashboard.page;

import dev.headway.api.probe.Probe;
import dev.headway.events.live.LiveOptions;
import dev.headway.events.live.LiveProbe;
import dev.headway.events.live.RecordConsumer;
import dev.headway.events.model.RunModel;
import dev.headway.events.record.RecordVisitor;
import dev.headway.probes.dashboard.state.EngineWatch;
import java.io.IOException;
import java.util.List;

/**
 * A dashboard of one engine for a server with endpoints of its own: give the engine the {@link
 * #probe}, and let the server pass requests on to the {@link #pages}.
 *
 * @param probe observes the engine; closing it, which the engine does, ends the pages' streams
 * @param pages what browsers see
 */
public record Dashboard(Probe probe, DashboardPages pages) {

  /** Makes a dashboard that the engine never waits for: events are dropped if it is too slow. */
  public static Dashboard of(LiveOptions options) {
    final DashboardPages pages = new DashboardPages();
    return new Dashboard(probe(options, pages, pages), pages);
  }

  /**
   * Makes the probe of pages.
   *
   * @param toClose closed with the probe, once the pages have shown the end
   */
  public static Probe probe(LiveOptions options, DashboardPages pages, AutoCloseable toClose) {
    final RunModel model = new RunModel(new EngineWatch(pages::show));
    return LiveProbe.of(options, List.of(new Shown(model, toClose)));
  }

  /** A model, and what goes with it. */
  private record Shown(RunModel model, AutoCloseable toClose) implements RecordConsumer {

    @Override
    public RecordVisitor visitor() {
      return model;
    }

    @Override
    public void flush(long records) throws IOException {
      model.flush(records);
    }

    @Override
    public void close() throws IOException {
      model.close();
      try {
        toClose.close();
      } catch (IOException | RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IOException("the dashboard cannot be closed", e);
      }
    }
  }
}
