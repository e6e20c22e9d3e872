// Search runs in a worker, and browsers start no worker for a page that is opened from a folder.
// There, a hidden frame runs the script instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => setTimeout(() => this.receive(data)); // sent from inside
      inside.importScripts = (...files) => Promise.all(files.map((file) => this.load(file)));
      this.ready = this.load(address);
      this.ready.catch(() => this.dispatchEvent(new ErrorEvent("error")));
    }

    load(file) {
      const script = this.frame.contentDocument.createElement("script");
      script.src = file;
      return new Promise((resolve, reject) => {
        script.onload = resolve;
        script.onerror = reject;
        this.frame.contentDocument.body.append(script);
      });
    }

    receive(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      this.onmessage?.(event);
    }

    postMessage(data) {
      this.ready.then(() => {
        const inside = this.frame.contentWindow;
        inside?.dispatchEvent(new inside.MessageEvent("message", { data }));
      });
    }

    terminate() {
      this.frame.remove();
    }
  };
}
