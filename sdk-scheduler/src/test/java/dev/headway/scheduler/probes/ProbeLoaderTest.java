package dev.headway.scheduler.probes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeEnvironment;
import dev.headway.api.probe.ProbeProvider;
import dev.headway.api.probe.ProbeRequest;
import dev.headway.api.probe.RunInfo;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Providers found through service files, the broken ones among them. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProbeLoaderTest {

  private static final String SERVICE_FILE = "META-INF/services/" + ProbeProvider.class.getName();
  private static final ProbeContext CONTEXT =
      new ProbeContext(
          RunInfo.builder(
                  SchedulerConfig.builder(
                          SchedulerLimits.builder()
                              .maxNumSeqs(1)
                              .maxNumBatchedTokens(1)
                              .maxModelLen(2)
                              .build())
                      .build(),
                  KvCacheShape.builder().blockSize(1).blocks(2).build())
              .headwayVersion("test")
              .executor("none")
              .virtualTime(true)
              .build(),
          Map.of());

  @TempDir private Path directory;

  @Test
  void shouldMakeTheProbesAskedForInTheOrderOfTheirProviders() throws Exception {
    final ProbeLoader loader = load(Late.class, Alpha.class, Beta.class);

    final List<Probe> probes = loader.create(wanted("late", "beta", "alpha"), CONTEXT);

    assertThat(probes)
        .extracting(probe -> ((NamedProbe) probe).name)
        .containsExactly("alpha", "beta", "late");
  }

  @Test
  void shouldListTheProbesFoundWithTheirDescriptions() throws Exception {
    final ProbeLoader loader = load(Beta.class, Alpha.class);

    assertThat(loader.descriptions())
        .containsExactly(
            Map.entry("alpha", "Does nothing as alpha."),
            Map.entry("beta", "Does nothing as beta."));
  }

  @Test
  void shouldHandOverTheOptionsOfEachProbe() throws Exception {
    final Map<String, Map<String, String>> wanted = new LinkedHashMap<>();
    wanted.put("alpha", Map.of("dir", "a"));
    wanted.put("beta", Map.of("dir", "b"));

    final List<Probe> probes = load(Alpha.class, Beta.class).create(wanted, CONTEXT);

    assertThat(probes)
        .extracting(probe -> ((NamedProbe) probe).options)
        .containsExactly(Map.of("dir", "a"), Map.of("dir", "b"));
  }

  @Test
  void shouldFindWhatTheEnvironmentAsksFor() throws Exception {
    final ProbeLoader loader = load(Alpha.class, Switched.class);

    assertThat(loader.requested(environment(Map.of("SWITCHED", "x"))))
        .containsExactly(
            Map.entry("switched", new ProbeRequest(Map.of("dir", "x"), List.of("SWITCHED=x"))));
    assertThat(loader.requested(environment(Map.of()))).isEmpty();
  }

  private static ProbeEnvironment environment(Map<String, String> variables) {
    return new ProbeEnvironment() {
      @Override
      public String variable(String name) {
        return variables.get(name);
      }

      @Override
      public String property(String name) {
        return null;
      }
    };
  }

  @Test
  void shouldMakeNothingThatWasNotAskedFor() throws Exception {
    final ProbeLoader loader = load(Alpha.class, FailsToCreate.class);

    assertThat(loader.create(wanted("alpha"), CONTEXT)).hasSize(1);
  }

  @Test
  void shouldNameWhatWasFoundWhenAProbeIsUnknown() throws Exception {
    final ProbeLoader loader = load(Beta.class, Alpha.class);

    assertThatThrownBy(() -> loader.create(wanted("cvs"), CONTEXT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "no probe named 'cvs': found=[alpha, beta], broken=[]; is its jar on the class path or"
                + " module path?");
  }

  @Test
  void shouldFindOnlyItsOwnWithoutOtherProviders() throws Exception {
    final ProbeLoader loader = load();

    assertThatThrownBy(() -> loader.create(wanted("csv"), CONTEXT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "no probe named 'csv': found=[], broken=[]; is its jar on the class path or module"
                + " path?");
  }

  @Test
  void shouldRefuseTwoProvidersOfOneName() {
    assertThatThrownBy(() -> load(Alpha.class, AlphaAgain.class))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "probe names must be unique: name='alpha', providers=[%s, %s]",
            Alpha.class.getName(), AlphaAgain.class.getName());
  }

  @Test
  void shouldNotLetAMissingClassHideTheOthers() throws Exception {
    final ProbeLoader loader = loadNames("no.such.Provider", Alpha.class.getName());

    assertThat(loader.create(wanted("alpha"), CONTEXT)).hasSize(1);
    assertThatThrownBy(() -> loader.create(wanted("csv"), CONTEXT))
        .hasMessage(
            "no probe named 'csv': found=[alpha], broken=[%s: Provider no.such.Provider not found];"
                + " is its jar on the class path or module path?",
            ProbeProvider.class.getName());
  }

  @Test
  void shouldNotLetAStaticInitialiserThatThrowsHideTheOthers() throws Exception {
    final ProbeLoader loader = load(FailsToInitialise.class, Alpha.class);

    assertThat(loader.create(wanted("alpha"), CONTEXT)).hasSize(1);
    assertThatThrownBy(() -> loader.create(wanted("csv"), CONTEXT))
        .hasMessage(
            "no probe named 'csv': found=[alpha], broken=[%s: Provider %s could not be"
                + " instantiated]; is its jar on the class path or module path?",
            ProbeProvider.class.getName(), FailsToInitialise.class.getName());
  }

  @Test
  void shouldNotLetAMalformedServiceFileHideTheOthers() throws Exception {
    final Path malformed = write("malformed", "not a class name");
    final Path good = write("good", Alpha.class.getName());
    final ProbeLoader loader = new ProbeLoader(loaderOf(List.of(malformed, good)));

    assertThat(loader.create(wanted("alpha"), CONTEXT)).hasSize(1);
    assertThatThrownBy(() -> loader.create(wanted("csv"), CONTEXT))
        .hasMessage(
            "no probe named 'csv': found=[alpha], broken=[%s: %s:1: Illegal configuration-file"
                + " syntax]; is its jar on the class path or module path?",
            ProbeProvider.class.getName(), malformed.resolve(SERVICE_FILE).toUri().toURL());
  }

  @Test
  void shouldListEveryBrokenProvider() throws Exception {
    final ProbeLoader loader =
        load(FailsToConstruct.class, FailsToName.class, HasNoName.class, Alpha.class);

    assertThatThrownBy(() -> loader.create(wanted("csv"), CONTEXT))
        .hasMessage(
            "no probe named 'csv': found=[alpha], broken=[%s: Provider %s could not be"
                + " instantiated, no name today, it has no name]; is its jar on the class path or"
                + " module path?",
            ProbeProvider.class.getName(), FailsToConstruct.class.getName());
  }

  @Test
  void shouldEndWhenAClassLoaderOnlyRepeatsItsError() {
    final ClassLoader broken =
        new ClassLoader(getClass().getClassLoader()) {
          @Override
          public Enumeration<URL> getResources(String name) throws IOException {
            throw new IOException("disk gone");
          }
        };

    final ProbeLoader loader = new ProbeLoader(broken);

    assertThatThrownBy(() -> loader.create(wanted("csv"), CONTEXT))
        .hasMessage(
            "no probe named 'csv': found=[], broken=[%s: Error locating configuration files]; is"
                + " its jar on the class path or module path?",
            ProbeProvider.class.getName());
  }

  @Test
  void shouldSayWhyAProbeCouldNotBeMadeAndCloseThoseBeforeIt() throws Exception {
    final ProbeLoader loader = load(Alpha.class, FailsToCreate.class);
    NamedProbe.CLOSED.remove();

    assertThatThrownBy(() -> loader.create(wanted("alpha", "fails"), CONTEXT))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("probe 'fails' could not be made: java.io.IOException: disk full")
        .hasCauseInstanceOf(IOException.class);

    assertThat(NamedProbe.CLOSED.get()).containsExactly("alpha");
  }

  @Test
  void shouldPassOnWhyAProviderRefusesItsOptions() throws Exception {
    final ProbeLoader loader = load(RefusesOptions.class);

    assertThatThrownBy(() -> loader.create(wanted("refuses"), CONTEXT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("probe 'refuses' refuses its options: dir must be given");
  }

  @Test
  void shouldSayThatAProviderMadeNothing() throws Exception {
    final ProbeLoader loader = load(MakesNothing.class);

    assertThatThrownBy(() -> loader.create(wanted("nothing"), CONTEXT))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "probe 'nothing' could not be made: java.lang.NullPointerException: create answered"
                + " null");
  }

  @Test
  void shouldLoadProbesByNameIntoAnEngineAndCloseThemWithIt() throws Exception {
    NamedProbe.CLOSED.remove();
    final Engine engine =
        engineBuilder()
            .classLoader(loaderOf(List.of(write("first", Alpha.class.getName()))))
            .probe("alpha")
            .build();

    engine.close();

    assertThat(NamedProbe.CLOSED.get()).containsExactly("alpha");
  }

  @Test
  void shouldLoadWhatTheEnvironmentAsksForUnlessTheProgramDoes() throws Exception {
    NamedProbe.CLOSED.remove();
    for (boolean isNamed : new boolean[] {false, true}) {
      final EngineBuilder builder =
          engineBuilder()
              .classLoader(loaderOf(List.of(write("s" + isNamed, Switched.class.getName()))))
              .probesFrom(environment(Map.of("SWITCHED", "x")));
      (isNamed ? builder.probe("switched", Map.of("dir", "mine")) : builder).build().close();
    }

    assertThat(NamedProbe.CLOSED.get()).containsExactly("switched in x", "switched in mine");
  }

  @Test
  void shouldCloseTheNamedProbesWhenTheEngineCannotBeBuilt() throws Exception {
    NamedProbe.CLOSED.remove();
    final NamedProbe callers = new NamedProbe("callers", Map.of());
    final EngineBuilder builder =
        engineBuilder()
            .classLoader(loaderOf(List.of(write("first", Alpha.class.getName()))))
            .probe("alpha")
            .probe(callers)
            .submissionQueueCapacity(Integer.MAX_VALUE); // no array is that large

    assertThatThrownBy(builder::build).isInstanceOf(OutOfMemoryError.class);

    assertThat(NamedProbe.CLOSED.get()).containsExactly("alpha");
  }

  @Test
  void shouldFailTheBuildOfAnEngineThatNamesAnUnknownProbe() throws Exception {
    final EngineBuilder builder =
        engineBuilder()
            .classLoader(loaderOf(List.of(write("first", Alpha.class.getName()))))
            .probe("chronicel");

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "no probe named 'chronicel': found=[alpha], broken=[]; is its jar on the class path or"
                + " module path?");
  }

  private static EngineBuilder engineBuilder() {
    final VirtualClock clock = new VirtualClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(4).blocks(65).build())
            .maxNumSeqs(8)
            .vocabularySize(100)
            .build();
    return HeadwayEngine.builder(
            new SimulatedExecutor(shape, new LinearLatencyModel(1, 1, 1, 1), clock, 7))
        .limits(
            SchedulerLimits.builder()
                .maxNumSeqs(8)
                .maxNumBatchedTokens(64)
                .maxModelLen(128)
                .build())
        .clock(clock);
  }

  private ProbeLoader load(Class<?>... providers) throws IOException {
    final String[] names = new String[providers.length];
    for (int i = 0; i < names.length; i++) {
      names[i] = providers[i].getName();
    }
    return loadNames(names);
  }

  private ProbeLoader loadNames(String... names) throws IOException {
    return new ProbeLoader(loaderOf(List.of(write("first", names))));
  }

  private Path write(String root, String... names) throws IOException {
    final Path file = directory.resolve(root).resolve(SERVICE_FILE);
    Files.createDirectories(file.getParent());
    Files.write(file, List.of(names));
    return directory.resolve(root);
  }

  private ClassLoader loaderOf(List<Path> roots) throws IOException {
    final URL[] urls = new URL[roots.size()];
    for (int i = 0; i < urls.length; i++) {
      urls[i] = roots.get(i).toUri().toURL();
    }
    return new URLClassLoader(urls, getClass().getClassLoader());
  }

  private static Map<String, Map<String, String>> wanted(String... names) {
    final Map<String, Map<String, String>> wanted = new LinkedHashMap<>();
    for (String name : names) {
      wanted.put(name, Map.of());
    }
    return wanted;
  }

  /** A probe that remembers who made it. */
  static final class NamedProbe implements Probe {

    static final ThreadLocal<List<String>> CLOSED = ThreadLocal.withInitial(ArrayList::new);
    private final String name;
    private final Map<String, String> options;

    NamedProbe(String name, Map<String, String> options) {
      this.name = name;
      this.options = options;
    }

    @Override
    public void close() {
      CLOSED.get().add(options.containsKey("dir") ? name + " in " + options.get("dir") : name);
    }
  }

  /** Provides {@code alpha}. */
  public static class Alpha implements ProbeProvider {

    @Override
    public String name() {
      return "alpha";
    }

    @Override
    public String description() {
      return "Does nothing as " + name() + ".";
    }

    @Override
    public Probe create(ProbeContext context) throws Exception {
      return new NamedProbe(name(), context.options());
    }
  }

  /** Provides {@code alpha} too. */
  public static final class AlphaAgain extends Alpha {}

  /** Provides {@code beta}. */
  public static final class Beta extends Alpha {

    @Override
    public String name() {
      return "beta";
    }
  }

  /** Is asked for by the variable {@code SWITCHED}. */
  public static final class Switched extends Alpha {

    @Override
    public String name() {
      return "switched";
    }

    @Override
    public ProbeRequest requested(ProbeEnvironment environment) {
      final String value = environment.variable("SWITCHED");
      return value == null
          ? null
          : new ProbeRequest(Map.of("dir", value), List.of("SWITCHED=" + value));
    }
  }

  /** Comes last. */
  public static final class Late extends Alpha {

    @Override
    public String name() {
      return "late";
    }

    @Override
    public int order() {
      return 1;
    }
  }

  /** Refuses whatever it is told. */
  public static final class RefusesOptions extends Alpha {

    @Override
    public String name() {
      return "refuses";
    }

    @Override
    public Probe create(ProbeContext context) {
      throw new IllegalArgumentException("dir must be given");
    }
  }

  /** Cannot make its probe. */
  public static final class FailsToCreate extends Alpha {

    @Override
    public String name() {
      return "fails";
    }

    @Override
    public int order() {
      return 2;
    }

    @Override
    public Probe create(ProbeContext context) throws Exception {
      throw new IOException("disk full");
    }
  }

  /** Makes nothing. */
  public static final class MakesNothing extends Alpha {

    @Override
    public String name() {
      return "nothing";
    }

    @Override
    public Probe create(ProbeContext context) {
      return null;
    }
  }

  /** Cannot be initialised. */
  public static final class FailsToInitialise extends Alpha {

    static final int VALUE = Integer.parseInt("not a number");
  }

  /** Cannot be constructed. */
  public static final class FailsToConstruct extends Alpha {

    /** Always fails. */
    public FailsToConstruct() {
      throw new UnsupportedOperationException("constructor");
    }
  }

  /** Throws where it should say its name. */
  public static final class FailsToName extends Alpha {

    @Override
    public String name() {
      throw new AssertionError("no name today");
    }
  }

  /** Has no name. */
  public static final class HasNoName extends Alpha {

    @Override
    public String name() {
      return null;
    }
  }
}
