package dev.headway.examples;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Dependencies between modules, and between the packages inside them, point one way only. */
class ModuleDependencyTest {

  private static final String API = "dev.headway.api";
  private static final String KVCACHE = "dev.headway.kvcache";
  private static final String SCHEDULER = "dev.headway.scheduler";
  private static final String CUDA = "dev.headway.cuda";
  private static final String PROBES_CHRONICLE = "dev.headway.probes.chronicle";
  private static final String PROBES_CSV = "dev.headway.probes.csv";
  private static final String PROBES_OTEL = "dev.headway.probes.otel";

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.headway");

  /** A rule about no classes proves nothing: the core modules must be in what was imported. */
  @Test
  void coreModulesAreImported() {
    for (String module : new String[] {API, KVCACHE, SCHEDULER}) {
      assertThat(CLASSES.stream().filter(c -> isIn(c, module)))
          .as("classes imported from %s", module)
          .isNotEmpty();
    }
  }

  /** A new library package has to be given its arrows here before the build passes. */
  @Test
  void everyLibraryClassBelongsToAKnownModule() {
    assertThat(
            CLASSES.stream()
                .filter(c -> !isIn(c, "dev.headway.examples"))
                .filter(
                    c ->
                        Stream.of(
                                API,
                                KVCACHE,
                                SCHEDULER,
                                CUDA,
                                PROBES_CHRONICLE,
                                PROBES_CSV,
                                PROBES_OTEL)
                            .noneMatch(module -> isIn(c, module)))
                .map(JavaClass::getName))
        .isEmpty();
  }

  @Test
  void apiDependsOnNoOtherModule() {
    dependsOnlyOn(API);
  }

  @Test
  void kvcacheDependsOnApi() {
    dependsOnlyOn(KVCACHE, API);
  }

  @Test
  void schedulerDependsOnApiAndKvcache() {
    dependsOnlyOn(SCHEDULER, API, KVCACHE);
  }

  @Test
  void cudaDependsOnApi() {
    dependsOnlyOn(CUDA, API);
  }

  @Test
  void chronicleProbeDependsOnApi() {
    dependsOnlyOn(PROBES_CHRONICLE, API);
  }

  @Test
  void csvProbeDependsOnApiAndChronicleProbe() {
    dependsOnlyOn(PROBES_CSV, API, PROBES_CHRONICLE);
  }

  @Test
  void otelProbeDependsOnApiAndChronicleProbe() {
    dependsOnlyOn(PROBES_OTEL, API, PROBES_CHRONICLE);
  }

  @Test
  void packagesOfAModuleFormNoCycle() {
    slices()
        .assignedFrom(new OnePackageEach())
        .should()
        .beFreeOfCycles()
        .allowEmptyShould(false)
        .check(CLASSES);
  }

  @Test
  void librariesLogThroughSlf4jOnly() {
    noClasses()
        .that(
            resideInAPackage("dev.headway..").and(not(resideInAPackage("dev.headway.examples.."))))
        .should(USE_JAVA_UTIL_LOGGING)
        .check(CLASSES);
  }

  @Test
  void librariesDoNotPrint() {
    noClasses()
        .that(
            resideInAPackage("dev.headway..").and(not(resideInAPackage("dev.headway.examples.."))))
        .should(ACCESS_STANDARD_STREAMS)
        .check(CLASSES);
  }

  /** It may change with every JDK, and every program would have to be started with its flag. */
  @Test
  void librariesUseNoIncubator() {
    noClasses()
        .that(
            resideInAPackage("dev.headway..").and(not(resideInAPackage("dev.headway.examples.."))))
        .should()
        .dependOnClassesThat(resideInAPackage("jdk.incubator.."))
        .check(CLASSES);
  }

  private static void dependsOnlyOn(String module, String... allowed) {
    String[] packages =
        Stream.concat(Stream.of(module), Stream.of(allowed))
            .map(name -> name + "..")
            .toArray(String[]::new);
    noClasses()
        .that()
        .resideInAPackage(module + "..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.headway..").and(not(resideInAnyPackage(packages))))
        // coreModulesAreImported guards against rules that check nothing
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  private static boolean isIn(JavaClass javaClass, String root) {
    String name = javaClass.getPackageName();
    return name.equals(root) || name.startsWith(root + ".");
  }

  /** Every library package is a slice of its own, the root package of a module too. */
  private static final class OnePackageEach implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
      return isIn(javaClass, "dev.headway") && !isIn(javaClass, "dev.headway.examples")
          ? SliceIdentifier.of(javaClass.getPackageName())
          : SliceIdentifier.ignore();
    }

    @Override
    public String getDescription() {
      return "the packages of the libraries";
    }
  }
}
