package dev.headway.cli.simulate;

import dev.headway.simulation.workload.generated.NamedLoads;
import java.util.List;
import picocli.CommandLine.Help.TextTable;

/** The made-up loads there are, for a person. */
final class LoadListing {

  private LoadListing() {}

  static String text() {
    final TextTable table = TwoColumns.of(20, 72);
    for (String name : NamedLoads.names()) {
      table.addRowValues(name, NamedLoads.summary(name));
    }
    addForms(table, "rate=", "requests per second", NamedLoads.rateForms());
    addForms(table, "arrival=", "poisson", NamedLoads.arrivalForms());
    addForms(table, "input=, output=", "tokens", NamedLoads.lengthForms());
    return table.toString();
  }

  /** One in a row: a form must not be broken at its colons. */
  private static void addForms(TextTable table, String option, String first, List<String> forms) {
    table.addRowValues("", "");
    table.addRowValues(option, first);
    forms.stream()
        .filter(form -> !form.equals(first))
        .forEach(form -> table.addRowValues("", form));
  }
}
