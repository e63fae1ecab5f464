import type { Browser, Page } from "playwright-core";
import type { Autoheal } from "./autoheal";
import { launch, look, openPage } from "./browser";

/** A user of the dashboard of a real server, whose clicks are counted. */
export class Walker {
  clicks = 0;

  private constructor(
    private readonly address: string,
    private readonly browser: Browser,
    readonly page: Page,
    /** Exceptions in the page. */
    readonly problems: readonly string[],
  ) {}

  /** Opens the dashboard of a server that runs. */
  static async start({ address, token }: Autoheal): Promise<Walker> {
    const problems: string[] = [];
    const browser = await launch();
    const page = await openPage(browser, problems);
    await page.goto(`${address}/#token=${token}`);
    return new Walker(address, browser, page, problems);
  }

  stop() {
    return this.browser.close();
  }

  /** Loads a page; the clicks are counted from here. */
  async open(path: string) {
    await this.page.goto(`${this.address}${path}`);
    await this.page.getByRole("heading", { level: 1 }).waitFor();
    this.clicks = 0;
  }

  async click(name: string | RegExp, role: "link" | "button" = "link", within: "page" | "dialog" = "page") {
    const place = within === "dialog" ? this.page.getByRole("dialog") : this.page;
    await place.getByRole(role, { name }).first().click();
    this.clicks += 1;
  }

  look(name: string) {
    return look(this.page, name);
  }
}
