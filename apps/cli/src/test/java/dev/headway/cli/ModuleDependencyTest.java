package dev.headway.cli;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Dependencies between modules, and between the packages inside them, point one way only. */
class ModuleDependencyTest {

  private static final String API = "dev.headway.api";
  private static final String TOOLBOX = "dev.headway.toolbox";
  private static final String TESTKIT = "dev.headway.testkit";
  private static final String KVCACHE = "dev.headway.kvcache";
  private static final String SCHEDULER = "dev.headway.scheduler";
  private static final String GRAMMAR = "dev.headway.grammar";
  private static final String SERVING = "dev.headway.serving";
  private static final String LANGCHAIN4J = "dev.headway.langchain4j";
  private static final String SPRING_AI = "dev.headway.spring.ai";
  private static final String SPRING_BOOT = "dev.headway.spring.boot";
  private static final String EXECUTOR_HOST = "dev.headway.executor";
  private static final String CUDA = "dev.headway.cuda";
  private static final String EVENTS = "dev.headway.events";
  private static final String PROBES_CHRONICLE = "dev.headway.probes.chronicle";
  private static final String PROBES_CSV = "dev.headway.probes.csv";
  private static final String REPORT = "dev.headway.report";
  private static final String PROBES_OTEL = "dev.headway.probes.otel";
  private static final String PROBES_DASHBOARD = "dev.headway.probes.dashboard";
  private static final String ROUTING = "dev.headway.routing";
  private static final String SIMULATION = "dev.headway.simulation";

  /** What each library may depend on beside itself. */
  private static final Map<String, Set<String>> ARROWS =
      Map.ofEntries(
          entry(API, Set.of()),
          entry(TOOLBOX, Set.of()),
          entry(TESTKIT, Set.of(API)),
          entry(KVCACHE, Set.of(API)),
          entry(SCHEDULER, Set.of(API, KVCACHE)),
          entry(GRAMMAR, Set.of(API)),
          entry(SERVING, Set.of(API, GRAMMAR)),
          entry(LANGCHAIN4J, Set.of(API, GRAMMAR, SERVING)),
          entry(SPRING_AI, Set.of(API, GRAMMAR, SERVING)),
          entry(
              SPRING_BOOT,
              Set.of(
                  API,
                  SCHEDULER,
                  EXECUTOR_HOST,
                  SERVING,
                  SPRING_AI,
                  EVENTS,
                  PROBES_OTEL,
                  PROBES_DASHBOARD)),
          entry(EXECUTOR_HOST, Set.of(API)),
          entry(CUDA, Set.of(API, EXECUTOR_HOST)),
          entry(EVENTS, Set.of(API)),
          entry(PROBES_CHRONICLE, Set.of(API, EVENTS)),
          entry(PROBES_CSV, Set.of(API, TOOLBOX, EVENTS, PROBES_CHRONICLE)),
          entry(REPORT, Set.of(API, TOOLBOX, EVENTS, PROBES_CHRONICLE)),
          entry(PROBES_OTEL, Set.of(API, EVENTS)),
          entry(PROBES_DASHBOARD, Set.of(API, TOOLBOX, EVENTS)),
          entry(ROUTING, Set.of(API, TOOLBOX)),
          entry(SIMULATION, Set.of(API, TOOLBOX, KVCACHE, SCHEDULER, EVENTS, ROUTING)));

  /** Programs, the executor that needs an incubator module, and what fuzz targets extend. */
  private static final String[] APPS = {
    "dev.headway.cli..",
    "dev.headway.http..",
    "dev.headway.server..",
    "dev.headway.router..",
    "dev.headway.loadgen..",
    "dev.headway.faultsim..",
    "dev.headway.executor.vector..",
    "dev.headway.fuzz.."
  };

  /** All of main code; imported once for all rules. */
  static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages("dev.headway");

  /** A rule about no classes proves nothing. */
  @ParameterizedTest
  @MethodSource("libraries")
  void shouldHaveImportedEveryLibrary(String library) {
    assertThat(CLASSES.stream().filter(c -> isIn(c, library)))
        .as("classes imported from %s", library)
        .isNotEmpty();
  }

  /** A new package has to be given its arrows here before the build passes. */
  @Test
  void shouldKnowTheLibraryOfEveryClass() {
    assertThat(
            CLASSES.stream()
                .filter(not(resideInAnyPackage(APPS)))
                .filter(c -> ARROWS.keySet().stream().noneMatch(library -> isIn(c, library)))
                .map(JavaClass::getName))
        .isEmpty();
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void shouldDependOnWhatStandsBelowOnly(String library) {
    final String[] allowed =
        Stream.concat(Stream.of(library), ARROWS.get(library).stream())
            .map(name -> name + "..")
            .toArray(String[]::new);
    noClasses()
        .that(resideInAPackage(library + "..").and(not(resideInAnyPackage(APPS))))
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.headway..").and(not(resideInAnyPackage(allowed))))
        .check(CLASSES);
  }

  @Test
  void shouldHaveNoCycleOfPackages() {
    slices()
        .assignedFrom(new OnePackageEach())
        .should()
        .beFreeOfCycles()
        .allowEmptyShould(false)
        .check(CLASSES);
  }

  @Test
  void shouldLogThroughSlf4jOnly() {
    noClasses()
        .that(resideInAPackage("dev.headway..").and(not(resideInAnyPackage(APPS))))
        .should(USE_JAVA_UTIL_LOGGING)
        .check(CLASSES);
  }

  @Test
  void shouldNotPrintFromALibrary() {
    noClasses()
        .that(resideInAPackage("dev.headway..").and(not(resideInAnyPackage(APPS))))
        .should(ACCESS_STANDARD_STREAMS)
        .check(CLASSES);
  }

  /** It may change with every JDK, and every program would have to be started with its flag. */
  @Test
  void shouldUseNoIncubatorInALibrary() {
    noClasses()
        .that(resideInAPackage("dev.headway..").and(not(resideInAnyPackage(APPS))))
        .should()
        .dependOnClassesThat(resideInAPackage("jdk.incubator.."))
        .check(CLASSES);
  }

  static Stream<String> libraries() {
    return ARROWS.keySet().stream().sorted();
  }

  private static boolean isIn(JavaClass javaClass, String root) {
    String name = javaClass.getPackageName();
    return name.equals(root) || name.startsWith(root + ".");
  }

  /** Every package is a slice of its own, the root package of a module too. */
  private static final class OnePackageEach implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
      return isIn(javaClass, "dev.headway")
          ? SliceIdentifier.of(javaClass.getPackageName())
          : SliceIdentifier.ignore();
    }

    @Override
    public String getDescription() {
      return "the packages";
    }
  }
}
